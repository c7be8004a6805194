//! The audit: all rows compared with the layout, in the background.

use super::overview::ago;
use crate::{
    ask::Ask,
    job::Done,
    link,
    part::text::{clean, many, number, prose_line, size, table},
    reply::{Problem, Reply},
};
use keyscape_diagnostics::bytes::hex;
use keyscape_inspect::audit::{self, Finding, Options, Report};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::{num::NonZeroU64, sync::Arc};

/// The number of examples of each finding.
const EXAMPLES: usize = 10;

/// Starts an audit.
pub(super) fn start(ask: &Ask) -> Result<Reply, Problem> {
    let shared = Arc::clone(&ask.shared);
    ask.shared.audit.start(move |on_row| {
        let base = shared.base();
        let options = Options { sample: NonZeroU64::MIN, examples: EXAMPLES };
        let state = base.db.read().map_err(|error| error.to_string())?;
        audit::run(&base, &state, options, on_row).map_err(|error| error.to_string())
    });
    Ok(Reply::Redirect("/audit".to_owned()))
}

/// Ends the audit that is running.
pub(super) fn cancel(ask: &Ask) -> Result<Reply, Problem> {
    ask.shared.audit.cancel();
    Ok(Reply::Redirect("/audit".to_owned()))
}

/// Shows the progress or the findings.
pub(super) fn show(ask: &Ask) -> Result<Reply, Problem> {
    let (running, done) = (ask.shared.audit.running(), ask.shared.audit.done());
    if ask.wants_json {
        return Ok(Reply::Json(as_json(ask, running.map(|running| running.rows), done.as_deref())));
    }
    let post = |path: &str, word: &str| {
        html! {
            form.inline method="post" action=(format!("{}{path}", ask.base)) { button { (word) } }
        }
    };
    let body = html! {
        header.top {
            p.eyebrow { "Database" }
            h1 { "Audit" }
            p.lead { "Compares every row with the layout: keys, values, index entries, counts and ranks. It only reads, in one snapshot." }
            @match running {
                Some(running) => {
                    p.progress role="status" { "Running: " (many(running.rows, "row")) " in " (running.elapsed.as_secs()) " s." }
                    (post("/audit/cancel", "Cancel"))
                },
                None => { (post("/audit/start", if done.is_some() { "Audit again" } else { "Start the audit" })) },
            }
        }
        @if let (None, Some(done)) = (running, &done) {
            @match &done.result {
                Ok(report) => { (findings(ask, report, done)) },
                Err(error) => { (Problem::input(error.clone(), None).inline()) },
            }
        }
    };
    Ok(Reply::page("Audit", body).live(running.is_some()))
}

fn findings(ask: &Ask, report: &Report, done: &Done<Report>) -> Markup {
    let layout = ask.layout();
    let sizes = report.statistics.keyspaces();
    let rows = sizes.iter().map(|(id, found)| {
        let bytes = found.key_bytes + found.value_bytes;
        [
            html! { a href=(link::keyspace(&ask.base, layout, *id)) { (clean(&layout.full_name(*id))) } },
            html! { (number(found.rows)) },
            html! { (size(bytes)) },
        ]
    });
    html! {
        section {
            h2 {
                @if done.was_cancelled { "Cancelled" }
                @else if report.findings.are_harmless() { "Nothing is wrong" }
                @else { "Findings" }
            }
            p.note { (many(report.checked, "row")) " in " (format!("{:.1}", done.took.as_secs_f64())) " s, " (ago(done.ended.elapsed())) "." }
            @for finding in report.findings.iter() { (one(ask, &finding)) }
        }
        section { h2 { "Largest keyspaces" } (table("data live", ["keyspace", "rows", "bytes"], rows)) }
    }
}

fn one(ask: &Ask, finding: &Finding) -> Markup {
    let layout = ask.layout();
    let class = if finding.kind.is_wrong() { "refuted" } else { "unknown" };
    let more = finding.count.saturating_sub(finding.examples.len() as u64);
    html! {
        article.finding {
            header {
                h3 { (clean(&finding.place(layout))) } " "
                span class=(format!("chip {class}")) { (finding.kind.level()) " " (finding.kind.name()) }
            }
            p { (finding.kind.says()) ": " b { (number(finding.count)) } }
            ul.related {
                @for example in &finding.examples {
                    li {
                        @if !example.key.is_empty() {
                            a href=(link::row(&ask.base, &finding.space, &example.key)) { code { (hex(&example.key)) } } " "
                        }
                        (prose_line(&example.text))
                    }
                }
                @if more > 0 { li { "and " (number(more)) " more" } }
            }
        }
    }
}

fn as_json(ask: &Ask, running: Option<u64>, done: Option<&Done<Report>>) -> Value {
    let report = done.map(|done| match &done.result {
        Ok(report) => report.object(ask.layout()),
        Err(error) => json!({"error": error}),
    });
    json!({
        "running": running.is_some(),
        "rows": running,
        "cancelled": done.is_some_and(|done| done.was_cancelled),
        "report": report,
    })
}
