//! A request, as the pages see it.

use crate::{link, reply::Problem, shared::Shared};
use axum::http::{HeaderMap, Uri, header::ACCEPT};
use keyscape_diagnostics::suggestion;
use keyscape_inspect::{
    database::OpenDatabase,
    input::{key::read_hex, name},
};
use keyscape_layout::{Layout, model::KeyspaceId};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The time that the work of a request may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(3);

/// A request.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) shared: Arc<Shared>,
    /// The path under which the pages are mounted, without the last slash.
    pub(crate) base: String,
    /// The first segment of the path, with its slash.
    pub(crate) page: String,
    /// The segments of the path after the name of the page, decoded.
    pub(crate) path: Vec<String>,
    query: Vec<(String, String)>,
    pub(crate) wants_json: bool,
    pub(crate) deadline: Instant,
}

impl Ask {
    pub(crate) fn new(shared: Arc<Shared>, base: String, uri: &Uri, headers: &HeaderMap) -> Self {
        let mut segments = uri.path().split('/').skip(1);
        let page = format!("/{}", segments.next().unwrap_or_default());
        let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
        Self {
            shared,
            base,
            page,
            path: segments.map(link::decode).collect(),
            query: link::pairs(uri.query().unwrap_or_default()),
            wants_json: accept.split(',').any(|kind| kind.trim().starts_with("application/json")),
            deadline: Instant::now() + LIMIT,
        }
    }

    /// Adds the pairs of a posted form.
    pub(crate) fn add_form(&mut self, body: &[u8]) {
        self.query.extend(link::pairs(&String::from_utf8_lossy(body)));
    }

    /// Returns the path of the request.
    pub(crate) fn address(&self) -> String {
        let first = format!("{}{}", self.base, self.page);
        self.path.iter().fold(first, |path, segment| format!("{path}/{segment}"))
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.shared.layout
    }

    pub(crate) fn database(&self) -> OpenDatabase<'_> {
        self.shared.base()
    }

    /// Returns a value of the query; `None` if it is empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Returns the key in a value of the query, in hexadecimal; `None` if the value is empty.
    pub(crate) fn key(&self, name: &str) -> Result<Option<Vec<u8>>, Problem> {
        let Some(digits) = self.get(name) else { return Ok(None) };
        let mut key = Vec::new();
        read_hex(digits.as_bytes(), &mut key)
            .map_err(|error| Problem::input(format!("`{name}` is not a key: {error}"), None))?;
        Ok(Some(key))
    }

    /// Returns all pairs of the query whose name begins with a prefix, without the prefix.
    pub(crate) fn with_prefix<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> + 'a {
        self.query.iter().filter_map(move |(name, value)| {
            Some((name.strip_prefix(prefix)?, value.as_str()))
                .filter(|(_, value)| !value.is_empty())
        })
    }

    /// Returns all pairs of the query.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.query.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Checks the names of the query. A known name that ends with a full stop is a prefix.
    ///
    /// # Errors
    /// If a name is unknown. `token` is allowed, because a server without a token ignores it.
    pub(crate) fn check_names(&self, known: &[&str]) -> Result<(), Problem> {
        let is_known = |name: &str| {
            name == "token"
                || known.iter().any(|known| match known.strip_suffix('.') {
                    Some(_) => name.starts_with(known),
                    None => name == *known,
                })
        };
        let Some((name, _)) = self.query.iter().find(|(name, _)| !is_known(name)) else {
            return Ok(());
        };
        let help = match known {
            [] => "this page has no parameters".to_owned(),
            known => {
                let shown: Vec<String> = known
                    .iter()
                    .map(|name| match name.strip_suffix('.') {
                        Some(_) => format!("{name}FIELD"),
                        None => (*name).to_owned(),
                    })
                    .collect();
                suggestion::help(name, "parameters", &shown)
            }
        };
        Err(Problem::input(format!("there is no parameter `{name}`"), Some(help)))
    }

    /// Begins the time of the request again, after it has waited.
    pub(crate) fn restart(&mut self) {
        self.deadline = Instant::now() + LIMIT;
    }

    /// Returns a segment of the path.
    pub(crate) fn segment(&self, index: usize) -> &str {
        self.path.get(index).map_or("", String::as_str)
    }

    /// Finds the keyspace that the first two segments of the path name.
    pub(crate) fn keyspace(&self) -> Result<KeyspaceId, Problem> {
        let (store, keyspace) = (self.segment(0), self.segment(1));
        name::keyspace(self.layout(), &format!("{store}/{keyspace}"))
            .map_err(|error| Problem::missing(error.to_string(), error.help()))
    }

    /// Whether the time of the request is over.
    pub(crate) fn is_late(&self) -> bool {
        Instant::now() >= self.deadline
    }
}
