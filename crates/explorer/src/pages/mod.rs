//! The pages, one file each.

mod audit;
mod decode;
mod diff;
mod keyspace;
mod overview;
mod row;
mod search;
mod structures;

use crate::{
    access::{is_own_origin, protect},
    ask::{Ask, LIMIT},
    frame::{SCRIPT, STYLE},
    reply::{Problem, Reply},
    shared::Shared,
};
use axum::{
    Router,
    body::to_bytes,
    extract::{OriginalUri, Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware,
    response::{IntoResponse, Response},
    routing::{MethodRouter, get, post},
};
use std::{sync::Arc, time::Duration};
use tokio::{
    sync::Semaphore,
    task::spawn_blocking,
    time::{sleep, timeout},
};

/// The number of requests that read at the same time. Further ones wait.
const READERS: usize = 16;
/// The longest time that a request waits for other readers. Waiting requests cost no work.
const WAIT: Duration = Duration::from_secs(30);
/// The longest form, in bytes.
const FORM: usize = 1 << 20;

/// A function that answers a request.
type Show = fn(&Ask) -> Result<Reply, Problem>;

/// The state of the router.
#[derive(Clone, Debug)]
struct Site {
    shared: Arc<Shared>,
    readers: Arc<Semaphore>,
}

/// Returns the router of all pages.
pub(crate) fn router(shared: Arc<Shared>) -> Router {
    let readers = Arc::new(Semaphore::new(READERS));
    Router::new()
        .route("/", page(overview::show, &[]))
        .route("/count", form(overview::count, &[]))
        .route("/keyspace/{store}/{keyspace}", page(keyspace::show, keyspace::PARAMETERS))
        .route("/row/{space}/{key}", page(row::show, &[]))
        .route("/row/{space}/", page(row::show, &[]))
        .route("/decode", page(decode::show, &["key", "form"]))
        .route("/structures", page(structures::all, &[]))
        .route("/structures/{store}/{keyspace}", page(structures::show, &["after"]))
        .route("/audit", page(audit::show, &[]))
        .route("/audit/start", form(audit::start, &[]))
        .route("/audit/cancel", form(audit::cancel, &[]))
        .route("/search", page(search::show, &["q"]))
        .route(
            "/diff",
            page(diff::show, diff::PARAMETERS).merge(form(diff::show, diff::PARAMETERS)),
        )
        .route("/style.css", get(|| async { asset(STYLE, "text/css; charset=utf-8") }))
        .route("/script.js", get(|| async { asset(SCRIPT, "text/javascript; charset=utf-8") }))
        .fallback(|site, original, request| answer(site, original, request, missing, None))
        .with_state(Site { shared, readers })
        .layer(middleware::from_fn(protect))
}

fn page(show: Show, parameters: &'static [&'static str]) -> MethodRouter<Site> {
    get(move |site, original, request| answer(site, original, request, show, Some(parameters)))
}

/// Returns the route of a form. A form may change the state of the explorer, but never the
/// database.
fn form(show: Show, parameters: &'static [&'static str]) -> MethodRouter<Site> {
    post(move |site, original, request| answer(site, original, request, show, Some(parameters)))
}

fn missing(ask: &Ask) -> Result<Reply, Problem> {
    let path = ask.address();
    let help = Some("begin with the overview".to_owned());
    Err(Problem::missing(format!("there is no page `{path}`"), help))
}

/// Answers a request on a thread that may block, for a limited time. `parameters` are the names
/// that the query may contain, see [`Ask::check_names`]; `None` allows all names.
async fn answer(
    State(site): State<Site>,
    OriginalUri(original): OriginalUri,
    request: Request,
    show: Show,
    parameters: Option<&'static [&'static str]>,
) -> Response {
    let (parts, body) = request.into_parts();
    if parts.method != Method::GET && parts.method != Method::HEAD && !is_own_origin(&parts.headers)
    {
        let text = "Only pages of the explorer may send forms.\n";
        return (StatusCode::FORBIDDEN, text).into_response();
    }
    let base = base_of(original.path(), parts.uri.path());
    let mut ask = Ask::new(site.shared, base, &parts.uri, &parts.headers);
    if parts.method == Method::POST {
        match to_bytes(body, FORM).await {
            Ok(body) => ask.add_form(&body),
            Err(_) => {
                let title = format!("the form is longer than {FORM} bytes");
                return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, title, None)
                    .into_response(&ask);
            }
        }
    }
    let busy = |ask: &Ask, title: &str| {
        let help = Some("try again, or ask for fewer rows".to_owned());
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, title, help).into_response(ask)
    };
    let Ok(Ok(permit)) = timeout(WAIT, site.readers.acquire_owned()).await else {
        return busy(&ask, "too many requests are running");
    };
    ask.restart();
    let ask = Arc::new(ask);
    let asked = Arc::clone(&ask);
    let work = spawn_blocking(move || {
        let _permit = permit;
        let checked = parameters.map_or(Ok(()), |known| asked.check_names(known));
        match checked.and_then(|()| show(&asked)) {
            Ok(reply) => reply.into_response(&asked),
            Err(problem) => problem.into_response(&asked),
        }
    });
    tokio::select! {
        done = work => done.unwrap_or_else(|_| {
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the page failed: a bug in Keyscape", None)
                .into_response(&ask)
        }),
        () = sleep(LIMIT + Duration::from_secs(7)) => busy(&ask, "the page took too long"),
    }
}

/// Returns the path under which the router is mounted.
fn base_of(original: &str, path: &str) -> String {
    let base = match path {
        "/" => original,
        path => original.strip_suffix(path).unwrap_or_default(),
    };
    base.trim_end_matches('/').to_owned()
}

fn asset(text: &'static str, kind: &'static str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("private, max-age=60")),
    ];
    (headers, text).into_response()
}

#[cfg(test)]
mod tests {
    use super::base_of;

    #[test]
    fn the_base_is_where_the_pages_are_mounted() {
        assert_eq!(base_of("/", "/"), "");
        assert_eq!(base_of("/decode", "/decode"), "");
        assert_eq!(base_of("/admin/db/decode", "/decode"), "/admin/db");
        assert_eq!(base_of("/admin/db/", "/"), "/admin/db");
        assert_eq!(base_of("/admin/db", "/"), "/admin/db");
    }
}
