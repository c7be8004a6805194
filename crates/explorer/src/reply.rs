//! Answers: pages, JSON, redirections and problems.

use crate::{ask::Ask, frame};
use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use keyscape_inspect::{database::DatabaseError, input::InputError};
use keyscape_layout::EncodeError;
use keyscape_store::StoreError;
use maud::Markup;
use serde_json::{Value, json};

/// The answer of a page.
#[derive(Debug)]
pub(crate) enum Reply {
    Page {
        title: String,
        body: Markup,
        /// Whether the page shows work in progress. The browser then loads it again.
        is_live: bool,
        status: StatusCode,
    },
    Json(Value),
    /// The address of another page, below the base.
    Redirect(String),
}

/// A reason why there is no page.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    status: StatusCode,
    title: String,
    help: Option<String>,
}

impl Reply {
    /// Returns a page with a title.
    pub(crate) fn page(title: impl Into<String>, body: Markup) -> Self {
        Self::Page { title: title.into(), body, is_live: false, status: StatusCode::OK }
    }

    /// Sets whether the page shows work in progress.
    pub(crate) fn live(mut self, new: bool) -> Self {
        if let Self::Page { is_live, .. } = &mut self {
            *is_live = new;
        }
        self
    }

    /// Sets the status of a page that shows a problem beside other content.
    pub(crate) fn with_status(mut self, new: StatusCode) -> Self {
        if let Self::Page { status, .. } = &mut self {
            *status = new;
        }
        self
    }

    pub(crate) fn into_response(self, ask: &Ask) -> Response {
        match self {
            Self::Page { title, body, is_live, status } => {
                html(status, frame::page(ask, &title, &body, is_live))
            }
            Self::Json(value) => as_json(StatusCode::OK, &value),
            Self::Redirect(path) => {
                let to = HeaderValue::from_str(&format!("{}{path}", ask.base));
                match to {
                    Ok(to) => (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response(),
                    Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
                }
            }
        }
    }
}

impl Problem {
    pub(crate) fn new(status: StatusCode, title: impl Into<String>, help: Option<String>) -> Self {
        Self { status, title: title.into(), help }
    }

    /// Returns the problem of invalid input.
    pub(crate) fn input(title: impl Into<String>, help: Option<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, title, help)
    }

    /// Returns the problem of a page or a row that does not exist.
    pub(crate) fn missing(title: impl Into<String>, help: Option<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, title, help)
    }

    pub(crate) const fn status(&self) -> StatusCode {
        self.status
    }

    /// Renders the problem as a part of a page.
    pub(crate) fn inline(&self) -> Markup {
        frame::inline_problem(&self.title, self.help.as_deref())
    }

    pub(crate) fn into_response(self, ask: &Ask) -> Response {
        if ask.wants_json {
            return as_json(self.status, &json!({"error": self.title, "help": self.help}));
        }
        let title = self.status.canonical_reason().unwrap_or("Error");
        let body = frame::problem(&self.title, self.help.as_deref());
        html(self.status, frame::page(ask, title, &body, false))
    }
}

pub(crate) fn html(status: StatusCode, page: Markup) -> Response {
    let kind = HeaderValue::from_static("text/html; charset=utf-8");
    (status, [(header::CONTENT_TYPE, kind)], page.into_string()).into_response()
}

fn as_json(status: StatusCode, value: &Value) -> Response {
    let kind = HeaderValue::from_static("application/json");
    (status, [(header::CONTENT_TYPE, kind)], format!("{value}\n")).into_response()
}

impl From<InputError> for Problem {
    fn from(error: InputError) -> Self {
        Self::input(error.to_string(), error.help())
    }
}

impl From<EncodeError> for Problem {
    fn from(error: EncodeError) -> Self {
        Self::input(error.to_string(), None)
    }
}

impl From<DatabaseError> for Problem {
    fn from(error: DatabaseError) -> Self {
        let status = match &error {
            DatabaseError::Encode(_) => StatusCode::BAD_REQUEST,
            DatabaseError::Unbuilt { .. } => StatusCode::CONFLICT,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let help = match &error {
            // The explorer does not know how its database is named on a command line.
            DatabaseError::Unbuilt { .. } => {
                Some("build it with `keyscape index build`".to_owned())
            }
            error => error.help(),
        };
        Self::new(status, error.to_string(), help)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        DatabaseError::from(error).into()
    }
}
