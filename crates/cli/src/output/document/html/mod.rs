//! The document as one HTML page that needs nothing else: no files, no network, and no script but
//! for the filter.

mod claims;
mod diagram;
mod keyspace;
mod prefix_map;
mod store;
mod text;

use super::{
    facts::{Document, KeyspaceFacts, Outcome, StoreFacts, TypeFacts, VerdictCounts},
    words,
};
use text::{anchor, code, escape, prose};

const STYLE: &str = include_str!("page.css");
const FILTER: &str = include_str!("filter.js");

/// A page.
pub(crate) fn render(document: &Document) -> String {
    let stores: Vec<&str> = document.stores.iter().map(|store| store.name.as_str()).collect();
    let title = escape(&format!("{} · {}", stores.join(", "), document.layout));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    page.push_str(prefix_map::PATTERNS);
    page.push_str(&contents(document));
    page.push_str("<main>\n");
    page.push_str(&head(document));
    for facts in &document.stores {
        page.push_str(&store::render(facts));
    }
    page.push_str(&types(&document.types));
    page.push_str(
        "<footer>Computed from the layout by <code>keyscape doc</code>: no count, example or \
         verdict on this page is written by hand.</footer>\n</main>\n",
    );
    page.push_str(&format!("<script>\n{FILTER}</script>\n</body>\n</html>\n"));
    page
}

/// The declared types.
fn types(types: &[TypeFacts]) -> String {
    let row = |facts: &TypeFacts| {
        vec![code(&facts.name), code(&facts.text), prose(&facts.doc, "purpose")]
    };
    let rows: Vec<Vec<String>> = types.iter().map(row).collect();
    match table("types", &["type", "is", "purpose"], &rows) {
        table if table.is_empty() => table,
        table => format!("<section id=\"types\">\n<h2>Types</h2>\n{table}</section>\n"),
    }
}

fn head(document: &Document) -> String {
    let lead = escape(&words::standing(document));
    let class = if document.holds { "proved" } else { "refuted" };
    format!(
        "<header class=\"top\">\n<p class=\"eyebrow\">Layout</p>\n<h1>{}</h1>\n{}\
         <p class=\"standing\"><strong class=\"{class}\">{lead}</strong> {}</p>\n</header>\n",
        escape(&document.layout),
        prose(&document.doc, "lead"),
        tally(document.tally)
    )
}

/// Renders the number of claims per verdict; zeros stay pale.
fn tally(tally: VerdictCounts) -> String {
    let VerdictCounts { proved, refuted, unknown, accepted } = tally;
    let counts = [
        (proved, Outcome::Proved),
        (refuted, Outcome::Refuted),
        (unknown, Outcome::Unknown),
        (accepted, Outcome::Accepted),
    ];
    let chips = counts.map(|(count, outcome)| {
        let class = if count == 0 { "none" } else { outcome.word() };
        format!("<span class=\"chip {class}\">{count} {}</span>", outcome.word())
    });
    chips.join(" ")
}

/// The list of all stores and keyspaces, with the filter.
fn contents(document: &Document) -> String {
    let mut text = String::from(
        "<nav aria-label=\"Keyspaces\">\n<p class=\"filter\" hidden><input type=\"search\" \
         id=\"filter\" placeholder=\"Filter keyspaces\" aria-label=\"Filter keyspaces\"></p>\n",
    );
    for store in &document.stores {
        let id = anchor("store", &store.name);
        text.push_str(&format!("<h2><a href=\"#{id}\">{}</a></h2>\n<ul>\n", escape(&store.name)));
        for keyspace in &store.keyspaces {
            text.push_str(&entry(store, keyspace));
        }
        text.push_str("</ul>\n");
    }
    if !document.types.is_empty() {
        text.push_str("<h2><a href=\"#types\">Types</a></h2>\n");
    }
    text.push_str("</nav>\n");
    text
}

fn entry(store: &StoreFacts, keyspace: &KeyspaceFacts) -> String {
    let worst = claims::worst(&keyspace.claims);
    let class = if keyspace.hash.is_some() { " class=\"inner\"" } else { "" };
    format!(
        "<li{class} data-name=\"{name}\"><a href=\"#{id}\"><span class=\"dot {}\"></span>{name}</a></li>\n",
        worst.word(),
        id = anchor(&store.name, &keyspace.name),
        name = escape(&keyspace.name),
    )
}

/// A row of a table; cells are HTML already.
fn row(cells: &[String]) -> String {
    let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
    format!("<tr>{cells}</tr>\n")
}

/// A table, or nothing without rows.
fn table(class: &str, heads: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let heads: String = heads.iter().map(|head| format!("<th>{head}</th>")).collect();
    let rows: String = rows.iter().map(|cells| row(cells)).collect();
    format!(
        "<div class=\"scroll\"><table class=\"{class}\">\n<thead><tr>{heads}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

/// Names as code, one after the other.
fn names(names: &[String]) -> String {
    names.iter().map(|name| code(name)).collect::<Vec<_>>().join(", ")
}
