//! One session: the open documents, and the answers to the client.

use crate::{
    ServeError, action,
    analysis::{self, Analysis, Done, Job, OpenTexts},
    completion, definition,
    diagnostic::{SOURCE, diagnostics},
    hover, inlay,
    location::to_path,
    symbol,
};
use crossbeam_channel::{Sender, TryRecvError, select};
use keyscape_layout::{Span, syntax::format};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CancelParams, CodeActionKind, CodeActionOptions, CodeActionParams,
    CodeActionProviderCapability, CompletionOptions, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DocumentSymbolResponse,
    HoverProviderCapability, InlayHintParams, NumberOrString, OneOf, Position,
    PublishDiagnosticsParams, ServerCapabilities, TextDocumentIdentifier,
    TextDocumentPositionParams, TextDocumentSyncCapability, TextDocumentSyncKind, TextEdit, Uri,
    notification::{
        Cancel, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument,
        Notification as _, PublishDiagnostics,
    },
    request::{
        CodeActionRequest, Completion, DocumentSymbolRequest, Formatting, GotoDefinition,
        HoverRequest, InlayHintRequest, Request as _, Shutdown,
    },
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

/// Runs a session until the client ends it.
pub(crate) fn run(connection: &Connection) -> Result<(), ServeError> {
    let (id, _) = connection.initialize_start()?;
    let info = json!({"name": SOURCE, "version": env!("CARGO_PKG_VERSION")});
    let result = json!({"capabilities": capabilities(), "serverInfo": info});
    connection.initialize_finish(id, result)?;
    let (jobs, results) = analysis::start();
    let mut session = Session { connection, jobs, documents: BTreeMap::new(), waiting: Vec::new() };
    loop {
        select! {
            recv(connection.receiver) -> message => match message {
                Ok(Message::Request(request)) if request.method == Shutdown::METHOD => {
                    session.abandon();
                    // A client that closes its end instead of sending `exit` is gone as well.
                    let ended = connection.handle_shutdown(&request);
                    return ended.map(|_| ()).or_else(|error| match connection.receiver.try_recv() {
                        Err(TryRecvError::Disconnected) => Ok(()),
                        _ => Err(error.into()),
                    });
                }
                Ok(Message::Request(request)) => session.request(request),
                Ok(Message::Notification(notification)) => session.notify(notification),
                Ok(Message::Response(_)) => {}
                Err(_) => return Ok(()),
            },
            recv(results) -> done => if let Ok(done) = done {
                session.proved(done);
            },
        }
    }
}

fn capabilities() -> ServerCapabilities {
    let triggers = [":", "(", " ", ".", ">"].map(str::to_owned).to_vec();
    ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Kind(TextDocumentSyncKind::FULL)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(triggers),
            ..CompletionOptions::default()
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        ..ServerCapabilities::default()
    }
}

/// An open document.
struct Document {
    path: PathBuf,
    version: i32,
    text: Arc<str>,
    /// The last analysis, which may be of an older version.
    analysis: Option<Analysis>,
}

impl Document {
    /// Returns the analysis of the current version.
    fn current(&self) -> Option<&Analysis> {
        self.analysis.as_ref().filter(|analysis| analysis.version == self.version)
    }
}

struct Session<'a> {
    connection: &'a Connection,
    jobs: Sender<Job>,
    /// The open documents by their address.
    documents: BTreeMap<Uri, Document>,
    /// Requests about documents whose analysis is not finished.
    waiting: Vec<(Uri, Request)>,
}

/// The common parameters of all requests about a document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AboutDocument {
    text_document: TextDocumentIdentifier,
}

/// Returns the parameters of a message.
fn parameters<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

impl Session<'_> {
    fn notify(&mut self, Notification { method, params }: Notification) {
        // The protocol has no answer to a notification, so one with wrong parameters is ignored.
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Ok(DidOpenTextDocumentParams { text_document }) = parameters(params) {
                    let (version, text) = (text_document.version, text_document.text);
                    self.set_text(&text_document.uri, version, &text);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Ok(DidChangeTextDocumentParams { text_document, mut content_changes }) =
                    parameters(params)
                    && let Some(change) = content_changes.pop()
                {
                    self.set_text(&text_document.uri, text_document.version, &change.text);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Ok(DidCloseTextDocumentParams { text_document }) = parameters(params) {
                    self.documents.remove(&text_document.uri);
                    self.publish(&text_document.uri, None, Vec::new());
                    self.answer_waiting(&text_document.uri);
                }
            }
            Cancel::METHOD => {
                let id = parameters::<CancelParams>(params).map(|params| match params.id {
                    NumberOrString::Number(id) => RequestId::from(id),
                    NumberOrString::String(id) => RequestId::from(id),
                });
                let is_cancelled = |request: &Request| Ok(&request.id) == id.as_ref();
                if let Some(at) = self.waiting.iter().position(|(_, r)| is_cancelled(r)) {
                    let (_, request) = self.waiting.remove(at);
                    let message = "the client cancelled the request".to_owned();
                    self.fail(request.id, ErrorCode::RequestCanceled, message);
                }
            }
            _ => {}
        }
    }

    fn set_text(&mut self, uri: &Uri, version: i32, text: &str) {
        let path = to_path(uri);
        let path = path.canonicalize().unwrap_or(path);
        let analysis = self.documents.remove(uri).and_then(|old| old.analysis);
        let document = Document { path: path.clone(), version, text: text.into(), analysis };
        self.documents.insert(uri.clone(), document);
        let open: OpenTexts =
            self.documents.values().map(|d| (d.path.clone(), d.text.clone())).collect();
        for (other, document) in &self.documents {
            let imports = document.analysis.as_ref().is_some_and(|a| a.depends_on(&path));
            if other == uri || imports {
                let (path, version) = (document.path.clone(), document.version);
                let job = Job { uri: other.clone(), path, version, open: open.clone() };
                // The thread ends only after this sender is dropped.
                let _ = self.jobs.send(job);
            }
        }
    }

    /// Stores an analysis, and answers the requests that waited for it.
    fn proved(&mut self, Done { uri, analysis }: Done) {
        let Some(document) = self.documents.get_mut(&uri) else { return };
        if analysis.version != document.version {
            return;
        }
        let found = diagnostics(&analysis);
        document.analysis = Some(analysis);
        let version = document.version;
        self.publish(&uri, Some(version), found);
        self.answer_waiting(&uri);
    }

    /// Answers all requests that wait for an analysis: the session ends.
    fn abandon(&mut self) {
        for (_, request) in std::mem::take(&mut self.waiting) {
            let message = "the server shuts down".to_owned();
            self.fail(request.id, ErrorCode::RequestCanceled, message);
        }
    }

    fn answer_waiting(&mut self, uri: &Uri) {
        let waiting = std::mem::take(&mut self.waiting);
        for (about, request) in waiting {
            if about == *uri {
                self.request(request);
            } else {
                self.waiting.push((about, request));
            }
        }
    }

    fn publish(&self, uri: &Uri, version: Option<i32>, diagnostics: Vec<lsp_types::Diagnostic>) {
        let params = PublishDiagnosticsParams::new(uri.clone(), diagnostics, version);
        let notification = Notification::new(PublishDiagnostics::METHOD.to_owned(), params);
        self.send(Message::Notification(notification));
    }

    /// Sends a message. The loop detects a client that has disconnected.
    fn send(&self, message: Message) {
        let _ = self.connection.sender.send(message);
    }

    fn request(&mut self, request: Request) {
        match request.method.as_str() {
            HoverRequest::METHOD => self.answer_at(request, hover::hover),
            GotoDefinition::METHOD => self.answer_at(request, definition::definition),
            Completion::METHOD => self.answer_at(request, completion::completions),
            CodeActionRequest::METHOD => self.answer(request, |a, p: CodeActionParams| {
                action::actions(a, &p.text_document.uri, p.range)
            }),
            InlayHintRequest::METHOD => {
                self.answer(request, |a, p: InlayHintParams| inlay::hints(a, p.range));
            }
            DocumentSymbolRequest::METHOD => self.answer(request, |a, _: AboutDocument| {
                DocumentSymbolResponse::Nested(symbol::symbols(a))
            }),
            Formatting::METHOD => self.answer(request, |a, _: AboutDocument| formatted(a)),
            method => {
                let message = format!("the request `{method}` is not supported");
                self.fail(request.id, ErrorCode::MethodNotFound, message);
            }
        }
    }

    /// Answers a request about a position in a document.
    fn answer_at<R: Serialize>(
        &mut self,
        request: Request,
        find: impl FnOnce(&Analysis, Position) -> R,
    ) {
        self.answer(request, |a, p: TextDocumentPositionParams| find(a, p.position));
    }

    /// Answers a request about a document, or queues it until the document is proved. The answer
    /// about a document that is not open is `null`.
    fn answer<P: DeserializeOwned, R: Serialize>(
        &mut self,
        request: Request,
        find: impl FnOnce(&Analysis, P) -> R,
    ) {
        let about = parameters::<AboutDocument>(request.params.clone());
        let (uri, params) = match about
            .and_then(|about| Ok((about.text_document.uri, parameters(request.params.clone())?)))
        {
            Ok(found) => found,
            Err(error) => return self.fail(request.id, ErrorCode::InvalidParams, error),
        };
        let Some(document) = self.documents.get(&uri) else {
            return self.send(Message::Response(Response::new_ok(request.id, Value::Null)));
        };
        let Some(analysis) = document.current() else {
            self.waiting.push((uri, request));
            return;
        };
        let response = Response::new_ok(request.id, find(analysis, params));
        self.send(Message::Response(response));
    }

    fn fail(&self, id: RequestId, code: ErrorCode, message: String) {
        self.send(Message::Response(Response::new_err(id, code as i32, message)));
    }
}

/// Returns the edits that format a document, or `None` if it has syntax errors.
fn formatted(analysis: &Analysis) -> Option<Vec<TextEdit>> {
    let text = analysis.text();
    let new = format(text).ok()?;
    if new == text {
        return Some(Vec::new());
    }
    let whole = Span { end: text.len() as u32, ..Span::default() };
    Some(vec![TextEdit::new(analysis.range(whole), new)])
}
