//! All pages in Chromium, at the widths of a desktop and of a phone, with screenshots below
//! `target/explorer`.

use super::server::Server;
use fantoccini::{
    Client, ClientBuilder, Locator, elements::Element, error::CmdError, wd::Capabilities,
};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::json;
use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};
use tokio::time::sleep;

/// A running driver.
struct Driver {
    child: Child,
    address: String,
}

const MISSING: &str = "the browser tests need `chromedriver` and `chromium`; \
                       on Debian: apt-get install chromium chromium-driver";

/// Returns the texts whose contrast with their background is below 4.5, as WCAG 2 defines it.
const FAINT: &str = r"
const numbers = text => text.match(/[\d.]+/g).map(Number);
const luminance = colour => colour
    .map(part => part / 255)
    .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
const background = element => {
    for (; element; element = element.parentElement) {
        const colour = numbers(getComputedStyle(element).backgroundColor);
        if (colour.length < 4 || colour[3] > 0.99) return colour.slice(0, 3);
    }
    return [255, 255, 255];
};
const opacity = element => element ? getComputedStyle(element).opacity * opacity(element.parentElement) : 1;
const faint = [];
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
    const text = texts.currentNode.data.trim(), element = texts.currentNode.parentElement;
    if (!text || !element.getClientRects().length || element.closest('svg')) continue;
    const below = background(element), solid = opacity(element);
    const above = numbers(getComputedStyle(element).color).slice(0, 3)
        .map((part, at) => part * solid + below[at] * (1 - solid));
    const [dark, light] = [luminance(above), luminance(below)].sort((a, b) => a - b);
    if ((light + 0.05) / (dark + 0.05) < 4.5) faint.push(text);
}
return faint";

impl Driver {
    /// Starts the driver; `None` if it is not installed.
    fn start() -> Option<Self> {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        Some(Self { child, address: format!("http://127.0.0.1:{}", port.expect(MISSING)) })
    }

    async fn client(&self, (width, height): (u32, u32), theme: &str) -> Client {
        let mut capabilities = Capabilities::new();
        // Blink numbers the colour schemes.
        let scheme = if theme == "dark" { 0 } else { 1 };
        let scheme = format!("--blink-settings=preferredColorScheme={scheme}");
        let arguments = [
            scheme.as_str(),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
        ];
        let mobile =
            json!({"deviceMetrics": {"width": width, "height": height, "pixelRatio": 1.0}});
        capabilities.insert(
            "goog:chromeOptions".to_owned(),
            json!({"args": arguments, "mobileEmulation": mobile}),
        );
        ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&self.address)
            .await
            .expect(MISSING)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A browser with a server.
struct Session<'s> {
    client: Client,
    server: &'s Server,
    name: &'static str,
}

impl Session<'_> {
    async fn go(&self, path: &str) -> Result<(), CmdError> {
        self.client.goto(&format!("http://{}{path}", self.server.host)).await
    }

    async fn text(&self) -> Result<String, CmdError> {
        self.client.find(Locator::Css("body")).await?.text().await
    }

    /// Waits for an element: a page may still be loading.
    async fn element(&self, css: &str) -> Result<Element, CmdError> {
        self.client.wait().at_most(Duration::from_secs(30)).for_element(Locator::Css(css)).await
    }

    async fn click(&self, css: &str) -> Result<(), CmdError> {
        self.element(css).await?.click().await
    }

    async fn fill(&self, css: &str, value: &str) -> Result<(), CmdError> {
        let field = self.element(css).await?;
        field.clear().await?;
        field.send_keys(value).await
    }

    /// Checks that the page shows these words and is not wider than the screen, and keeps a
    /// screenshot. A page that reloads itself may take long on a busy machine.
    async fn shows(&self, name: &str, words: &[&str]) -> Result<(), CmdError> {
        for _ in 0..300 {
            let text = self.text().await.unwrap_or_default();
            if words.iter().all(|word| text.contains(word)) {
                break;
            }
            sleep(Duration::from_millis(100)).await;
        }
        let text = self.text().await?;
        for word in words {
            assert!(text.contains(word), "{name}: {word}\n{text}");
        }
        let overflow = "return document.documentElement.scrollWidth - window.innerWidth";
        let overflow = self.client.execute(overflow, Vec::new()).await?;
        assert!(overflow.as_i64().unwrap() <= 0, "{name} {}: wider by {overflow}", self.name);
        let unlabelled = "return [...document.querySelectorAll('input:not([type=hidden]),select,textarea')]\
             .filter(e => !e.labels.length && !e.ariaLabel).map(e => e.outerHTML)";
        assert_eq!(self.client.execute(unlabelled, Vec::new()).await?, json!([]), "{name}");
        assert_eq!(self.client.execute(FAINT, Vec::new()).await?, json!([]), "{name}: contrast");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("explorer");
        fs::create_dir_all(&folder).unwrap();
        let picture = self.client.screenshot().await?;
        fs::write(folder.join(format!("{name}-{}.png", self.name)), picture).unwrap();
        Ok(())
    }
}

#[test]
fn all_pages_work_in_a_browser_at_both_widths_and_in_both_themes() {
    let Some(driver) = Driver::start() else {
        assert!(std::env::var_os("CI").is_none(), "{MISSING}");
        eprintln!("not run: {MISSING}");
        return;
    };
    let server = Server::own_shop();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        for (name, size, theme) in
            [("desktop", (1280, 900), "light"), ("phone", (390, 844), "dark")]
        {
            let client = driver.client(size, theme).await;
            let is_dark = "return matchMedia('(prefers-color-scheme: dark)').matches";
            let is_dark = client.execute(is_dark, Vec::new()).await.unwrap();
            assert_eq!(is_dark, json!(theme == "dark"));
            let session = Session { client, server: &server, name };
            let outcome = visit(&session).await;
            session.client.clone().close().await.unwrap();
            outcome.unwrap();
        }
    });
}

async fn visit(session: &Session<'_>) -> Result<(), CmdError> {
    let Session { client, server, .. } = session;
    client.goto(&server.printed).await?;
    assert!(
        !client.current_url().await?.as_str().contains("token"),
        "the token stays out of the history"
    );
    session.shows("overview", &["shop", "orders", "proved", "≥ 100"]).await?;

    session.click("a[href='/keyspace/shop/orders']").await?;
    session.shows("keyspace", &["orders", "tea 1", "Next"]).await?;
    session.click("a[href='/keyspace/shop/orders?scan=user']").await?;
    session.fill("input[name='f.user']", "1").await?;
    session.fill("input[name=from]", "118").await?;
    session.click(".options button").await?;
    session.shows("range", &["tea 118", "tea 120"]).await?;
    assert!(!session.text().await?.contains("tea 117"));
    assert!(!client.current_url().await?.as_str().contains("to="), "empty fields stay out");
    session.click("table.data tbody tr:first-child .key-link").await?;
    session
        .shows("row", &["Key", "user", "order", "118", "tea 118", "by_order", "Next row"])
        .await?;
    session.click(".related a").await?;
    session.shows("entry", &["Leads to", "orders"]).await?;

    session.go("/keyspace/shop/orders?size=20").await?;
    session.click("a[rel=next]").await?;
    session.shows("page-two", &["tea 21", "First page"]).await?;
    client.find(Locator::Css("body")).await?.send_keys("k").await?;
    let first = Locator::XPath("//td[text()='\"tea 1\"']");
    client.wait().at_most(Duration::from_secs(30)).for_element(first).await?;
    session.go("/keyspace/shop/orders?f.user=no").await?;
    session.shows("wrong-field", &["is not an integer"]).await?;

    session.go("/structures").await?;
    session.shows("structures", &["board", "jobs", "friends", "customer"]).await?;
    session.click("a[href='/structures/shop/board']").await?;
    session.click("table.data a").await?;
    session.shows("zset", &["bob", "70"]).await?;
    session.go("/keyspace/shop/jobs").await?;
    session.shows("queue", &["mail", "ready"]).await?;

    session.go("/decode").await?;
    session.fill("textarea[name=key]", "6f3a0000000100000007").await?;
    session.click(".decode button").await?;
    session.shows("decode", &["As hex", "orders", "user", "order"]).await?;
    session.fill("textarea[name=key]", "6f3a00").await?;
    session.click(".decode button").await?;
    session.shows("nearest", &["No keyspace has this key", "ends too early"]).await?;

    session.go("/audit").await?;
    // The other session has run an audit, so the page may show results already.
    client.execute("document.body.id = 'before'", Vec::new()).await?;
    session.click(".top button").await?;
    let results = Locator::Css("body:not(#before) table.live");
    client.wait().at_most(Duration::from_secs(30)).for_element(results).await?;
    session.shows("audit", &["Nothing is wrong", "Largest keyspaces"]).await?;

    session.fill(".search input", "order\n").await?;
    client.wait().at_most(Duration::from_secs(30)).for_element(Locator::Css(".hits li")).await?;
    session.shows("search", &["by_order", "field"]).await?;

    session.go("/diff").await?;
    let new = super::server::SHOP
        .replace("{user: u32be} {order: u32be} -> text", "{user: u64be} {order: u32be} -> text");
    let fill = "document.querySelector('textarea[name=new]').value = arguments[0]";
    client.execute(fill, vec![json!(new)]).await?;
    session.click(".diff button").await?;
    let sides = Locator::Css("table.sides");
    client.wait().at_most(Duration::from_secs(10)).for_element(sides).await?;
    session.shows("diff", &["not backward compatible", "KS101", "changed"]).await?;

    session.go("/nothing").await?;
    session.shows("missing", &["This page cannot be shown"]).await?;
    Ok(())
}
