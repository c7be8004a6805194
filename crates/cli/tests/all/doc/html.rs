//! Tests that the page is well formed and self-contained.

use super::harness::{MODULE, doc};

const LAYOUTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../layouts");
const VOID: [&str; 3] = ["meta", "br", "input"];

/// Checks the tags of a page.
pub(crate) fn check(page: &str) -> Result<(), String> {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page.strip_prefix("<!doctype html>").ok_or("no doctype")?;
    while let Some((_, after)) = rest.split_once('<') {
        let (tag, after_tag) = after.split_once('>').ok_or("a tag that does not end")?;
        rest = after_tag;
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or("");
        if !name.bytes().all(|byte| byte.is_ascii_alphanumeric()) || name.is_empty() {
            return Err(format!("<{tag}> is not a tag"));
        }
        attributes(tag)?;
        if tag.starts_with('/') {
            let last = open.pop();
            if last != Some(name) {
                return Err(format!("</{name}> closes {last:?}"));
            }
        } else if !VOID.contains(&name) && !tag.ends_with('/') {
            open.push(name);
        }
        if tag == "style" || tag == "script" {
            let at = rest.find(&format!("</{tag}>")).ok_or("a style without an end")?;
            rest = &rest[at..];
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("still open: {open:?}")) }
}

/// Checks that attribute values are in double quotes, and contain no code.
fn attributes(tag: &str) -> Result<(), String> {
    for (index, part) in tag.split('"').enumerate() {
        let is_name = index % 2 == 0;
        if is_name && (part.contains('\'') || part.to_lowercase().contains(" on")) {
            return Err(format!("<{tag}>"));
        }
    }
    if tag.matches('"').count().is_multiple_of(2) { Ok(()) } else { Err(format!("<{tag}>")) }
}

/// Whether a page refers to no other resource.
pub(crate) fn is_alone(page: &str) -> bool {
    let outside = ["http:", "https:", "=\"//", "src=", "<link", "@import", "<iframe", "fetch("];
    let urls = page.matches("url(").count() == page.matches("url(#").count();
    let links = page.matches("href=\"").count() == page.matches("href=\"#").count();
    urls && links && outside.iter().all(|reference| !page.contains(reference))
}

#[test]
fn pages_are_well_formed_and_need_nothing_else() {
    // Sound layouts, and deployed ones with refuted claims.
    let layouts = [
        "bank/sound",
        "bank/documented",
        "bitbadges/deployed",
        "bitbadges/v11",
        "onesat/sound",
        "onesat/1842d5c",
        "osmosis-cl/deployed",
        "paw/sound",
    ];
    let layouts = layouts.map(|name| format!("{LAYOUTS}/{name}.keys"));
    for path in layouts.iter().map(String::as_str).chain([MODULE]) {
        let page = doc(path, "html");
        assert_eq!(check(&page), Ok(()), "{path}");
        assert!(is_alone(&page), "{path}");
    }
}

#[test]
fn every_link_has_one_target() {
    let page = doc(MODULE, "html");
    let ids: Vec<&str> = page
        .split(" id=\"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"').map(|(id, _)| id))
        .collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), ids.len());
    for rest in page.split("href=\"#").skip(1) {
        let (target, _) = rest.split_once('"').unwrap();
        assert!(ids.contains(&target), "{target}");
    }
}

#[test]
fn the_prefix_map_names_its_keyspaces() {
    let page = doc(MODULE, "html");
    assert_eq!(page.matches("<g class=\"cell").count() % 256, swatches(&page));
    for title in [
        "<title>0x0201: pools; range core</title>",
        "<title>0x020c: reserved; range core; 0x0c is reserved: was the swap queue; never reuse</title>",
        "<title>0x020d: deprecated; range core; 0x0d is deprecated: limit orders until version 2</title>",
        "<title>0x0361 (a): prices, as a byte of a field</title>",
        "<title>0x02ff: free; range extension</title>",
    ] {
        assert!(page.contains(title), "{title}");
    }
}

fn swatches(page: &str) -> usize {
    page.matches("<svg class=\"swatch\"").count()
}

#[test]
fn the_checker_rejects_malformed_pages() {
    let page = |body: &str| format!("<!doctype html><html><body>{body}</body></html>");
    assert_eq!(check(&page("<p>a<br>b</p>")), Ok(()));
    for wrong in ["<p>", "<b><i></b></i>", "<p class=a'>x</p>", "<p onclick=\"x\"></p>", "a < b"] {
        assert!(check(&page(wrong)).is_err(), "{wrong}");
    }
    assert!(!is_alone("<img src=\"x\">") && !is_alone("a{background:url(x)}"));
}
