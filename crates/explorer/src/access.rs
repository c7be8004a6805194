//! Access control: a token, and checks of the headers `Host` and `Origin`.
//!
//! Other users of the machine can connect to a loopback port, so they need the token. Other sites
//! can make the browser send requests, so `Host` must be an address of the server, and the cookie
//! is sent by pages of the server only.

use crate::link;
use axum::{
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use std::{net::SocketAddr, sync::Arc};

/// The rules of access to a server.
#[derive(Clone, Debug)]
pub struct Access {
    token: Option<String>,
    cookie: String,
    hosts: Vec<String>,
    /// Whether any host is allowed: the server listens on all addresses of the machine.
    any_host: bool,
}

impl Access {
    /// Makes the rules for a server at an address; without a token, every request may read.
    pub fn new(address: SocketAddr, token: Option<String>) -> Self {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() {
            hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(|name| format!("{name}:{port}")));
        }
        // Browsers leave out the default port.
        if port == 80 {
            let bare: Vec<String> = hosts
                .iter()
                .filter_map(|host| host.strip_suffix(":80").map(str::to_owned))
                .collect();
            hosts.extend(bare);
        }
        let any_host = address.ip().is_unspecified();
        // Browsers share cookies between ports, so the name contains the port.
        Self { token, cookie: format!("keyscape_{port}"), hosts, any_host }
    }

    /// Makes a random token of 128 bits.
    ///
    /// # Errors
    /// Returns the error of the random source of the system.
    pub fn random_token() -> Result<String, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(keyscape_diagnostics::bytes::hex(&bytes))
    }

    fn is_host(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
        self.any_host
            || host
                .is_some_and(|host| self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host)))
    }

    /// Returns the tokens of the cookies and of the header `Authorization`.
    fn tokens<'h>(&self, headers: &'h HeaderMap) -> Vec<&'h str> {
        let texts = |name| headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        let pairs = texts(header::COOKIE)
            .flat_map(|text| text.split(';'))
            .filter_map(|pair| pair.split_once('='));
        let cookies = pairs.filter(|(name, _)| name.trim() == self.cookie);
        let bearers =
            texts(header::AUTHORIZATION).filter_map(|value| value.strip_prefix("Bearer "));
        cookies.map(|(_, value)| value.trim()).chain(bearers).collect()
    }
}

/// Compares secrets in a time that does not depend on their contents.
fn is_same(given: &str, token: &str) -> bool {
    let (given, token) = (given.as_bytes(), token.as_bytes());
    let differences = given.iter().zip(token).fold(0, |sum, (a, b)| sum | (a ^ b));
    given.len() == token.len() && differences == 0
}

/// Whether a request comes from a page of the same host, or from no page.
pub(crate) fn is_own_origin(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        let site = headers.get(HeaderName::from_static("sec-fetch-site"));
        return site.is_none_or(|site| site == "same-origin" || site == "none");
    };
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok());
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    matches!((origin, host), (Some((_, origin)), Some(host)) if origin.eq_ignore_ascii_case(host))
}

/// Passes on the requests that may read.
pub(crate) async fn guard(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    if !access.is_host(request.headers()) {
        let text = "This address is not that of the explorer.\n";
        return (StatusCode::MISDIRECTED_REQUEST, text).into_response();
    }
    if let Some(token) = &access.token {
        if let Some(to) = without_token(request.uri(), token) {
            return set_cookie(&access, token, &to);
        }
        let given = access.tokens(request.headers());
        if !given.iter().any(|given| is_same(given, token)) {
            let pairs = link::pairs(request.uri().query().unwrap_or_default());
            let has_token = !given.is_empty() || pairs.iter().any(|(name, _)| name == "token");
            let problem = if has_token { "wrong" } else { "missing" };
            let text = format!(
                "The token is {problem}. Open the address that `keyscape serve` printed.\n"
            );
            return (StatusCode::UNAUTHORIZED, text).into_response();
        }
    }
    next.run(request).await
}

/// Returns the address without its token, if it has the right one.
fn without_token(uri: &Uri, token: &str) -> Option<String> {
    let pairs = link::pairs(uri.query().unwrap_or_default());
    let (tokens, others): (Vec<_>, Vec<_>) = pairs.iter().partition(|(name, _)| name == "token");
    tokens.iter().any(|(_, given)| is_same(given, token)).then(|| {
        let rest = others.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        // Two slashes would name another host.
        format!("/{}{}", uri.path().trim_start_matches('/'), link::query(rest))
    })
}

/// Sets the token as a cookie and redirects to the address without it, which keeps the token out of
/// the history.
fn set_cookie(access: &Access, token: &str, to: &str) -> Response {
    let cookie = format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", access.cookie);
    match (HeaderValue::from_str(&cookie), HeaderValue::from_str(to)) {
        (Ok(cookie), Ok(to)) => {
            (StatusCode::SEE_OTHER, [(header::SET_COOKIE, cookie), (header::LOCATION, to)])
                .into_response()
        }
        _ => StatusCode::BAD_REQUEST.into_response(),
    }
}

/// The policy of all pages: own style sheet and script, nothing else, and no frame around them.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Adds the headers that protect pages.
pub(crate) async fn protect(request: Request, next: Next) -> Response<Body> {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer`, browsers would send forms with `Origin: null`.
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::{is_same, without_token};
    use axum::http::Uri;

    #[test]
    fn only_the_whole_token_fits() {
        assert!(is_same("abc", "abc"));
        for other in ["", "ab", "abd", "abcd", "ABC"] {
            assert!(!is_same(other, "abc"), "{other}");
        }
    }

    #[test]
    fn the_token_leaves_the_address() {
        let to = |uri: &'static str| without_token(&Uri::from_static(uri), "t");
        assert_eq!(to("/decode?key=6f&token=t&form=hex").unwrap(), "/decode?key=6f&form=hex");
        assert_eq!(to("//evil/?token=t").unwrap(), "/evil/");
        assert_eq!(to("/?token=u"), None);
        assert_eq!(to("/"), None);
    }
}
