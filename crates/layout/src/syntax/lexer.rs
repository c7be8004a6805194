//! Tokens and comments, and their conversion from text in one pass. Reports and omits characters
//! that form no token.

use super::{
    keyword::Keyword,
    literal,
    report::{Reports, quote},
};
use crate::{Diagnostic, FileId, Span};

/// Decodes the bytes of a file, which must be UTF-8.
///
/// # Errors
/// Returns a diagnostic that names the first invalid byte.
///
/// ```
/// use keyscape_layout::{FileId, syntax::decode_utf8};
///
/// assert_eq!(decode_utf8(b"store bank", FileId(0)), Ok("store bank"));
/// let error = decode_utf8(b"store \xff", FileId(0)).unwrap_err();
/// assert_eq!(error.message, "the file is not UTF-8: byte `0xff` at offset 6");
/// ```
pub fn decode_utf8(bytes: &[u8], file: FileId) -> Result<&str, Diagnostic> {
    core::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let byte = bytes.get(at).copied().unwrap_or_default();
        let length = error.error_len().unwrap_or(bytes.len() - at);
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span { file, start: offset(at), end: offset(at + length) };
        Diagnostic::error(span, format!("the file is not UTF-8: byte `{byte:#04x}` at offset {at}"))
            .label("expected UTF-8 text")
            .help("inside a text, write such a byte as `\\xHH`; elsewhere, as a hex literal")
    })
}

/// The kind of a token. All words are names: only the grammar distinguishes keywords.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    /// A decimal number without its sign.
    Int,
    /// `0x02`
    Hex,
    /// `"…"`
    Text,
    /// `r"…"`
    Regex,
    /// `br"…"`
    ByteRegex,
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    OpenParen,
    CloseParen,
    Colon,
    Comma,
    Dot,
    DotDot,
    DotDotEq,
    Equals,
    Arrow,
    Bar,
    Minus,
    /// The end of the file, the last token of every file.
    #[default]
    End,
}

/// A token. No token contains a line break.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// The keyword that a name spells.
    pub(super) word: Option<Keyword>,
    /// Whether only white space precedes it on its line.
    pub(super) first_on_line: bool,
    /// Whether an empty line precedes it.
    pub(super) blank_before: bool,
    /// Whether stray characters were omitted before the token. They have been reported, so an error
    /// at this token is probably the same one.
    pub(super) after_stray: bool,
    pub(super) start: u32,
    pub(super) end: u32,
    /// The number of comments of the file before it.
    pub(super) comments_end: u32,
}

/// A comment, without the line break and the white space that end it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment {
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether the comment has its own line.
    pub(super) own_line: bool,
    /// Whether an empty line precedes it.
    pub(super) blank_before: bool,
}

/// Returns the text between two offsets.
pub(super) fn slice(source: &str, start: u32, end: u32) -> &str {
    source.get(start as usize..end as usize).unwrap_or_default()
}

/// The tokens and comments of a file.
#[derive(Debug)]
pub(super) struct Lexed {
    /// The tokens. Only the last one is [`TokenKind::End`].
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Comment>,
    pub(super) reports: Reports,
}

/// Splits a file into tokens and comments.
pub(super) fn lex(source: &str, file: FileId) -> Lexed {
    let too_large = u32::try_from(source.len()).is_err();
    let source = if too_large { "" } else { source };
    let mut lexer = Lexer {
        source,
        file,
        at: if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 },
        line_breaks: 1,
        stray: false,
        no_block_end: false,
        lexed: Lexed { tokens: Vec::new(), comments: Vec::new(), reports: Reports::default() },
    };
    if too_large {
        lexer.report(0, 0, |span| {
            Diagnostic::error(span, "the file is too large").label("expected less than 4 GiB")
        });
    }
    while let Some(byte) = lexer.peek(0) {
        lexer.step(byte);
    }
    lexer.push(TokenKind::End, source.len());
    lexer.lexed
}

struct Lexer<'s> {
    source: &'s str,
    file: FileId,
    /// Always on a character boundary.
    at: usize,
    /// The line breaks since the last token or comment. The start of the file counts as one.
    line_breaks: usize,
    /// Whether characters were omitted since the last token.
    stray: bool,
    /// Whether it is known that no `*/` follows.
    no_block_end: bool,
    lexed: Lexed,
}

impl<'s> Lexer<'s> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.as_bytes().get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'s str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.line_breaks += 1;
                self.at += 1;
            }
            b' ' | b'\t' | b'\r' => self.at += 1,
            b'/' if self.peek(1) == Some(b'/') => self.comment(),
            b'"' => self.text(),
            b'r' | b'b' if self.regex_opening().is_some() => self.regex(),
            b'0'..=b'9' => self.digits(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.name(),
            b'=' if self.peek(1) == Some(b'>') => {
                self.report(self.at, self.at + 2, |span| {
                    Diagnostic::error(span, "`=>` is not an arrow").label("expected `->`")
                });
                self.push(TokenKind::Arrow, self.at + 2);
            }
            _ => match self.punctuation(byte) {
                Some((kind, length)) => self.push(kind, self.at + length),
                None if self.rest().starts_with(char::is_alphabetic) => self.name(),
                None => self.wrongly_quoted(),
            },
        }
    }

    fn push(&mut self, kind: TokenKind, end: usize) {
        let (start, end) = (offset(self.at), offset(end));
        let word = match kind {
            TokenKind::Name => Keyword::of(slice(self.source, start, end)),
            _ => None,
        };
        self.lexed.tokens.push(Token {
            kind,
            word,
            first_on_line: self.line_breaks > 0,
            blank_before: self.line_breaks > 1,
            after_stray: core::mem::take(&mut self.stray),
            start,
            end,
            comments_end: offset(self.lexed.comments.len()),
        });
        self.line_breaks = 0;
        self.at = end as usize;
    }

    fn report(&mut self, start: usize, end: usize, make: impl FnOnce(Span) -> Diagnostic) {
        let span = Span { file: self.file, start: offset(start), end: offset(end) };
        self.lexed.reports.push(|| make(span));
    }

    fn comment(&mut self) {
        let rest = self.rest();
        let line = rest.split('\n').next().unwrap_or(rest);
        let (length, trimmed) = (line.len(), line.trim_end().len());
        self.lexed.comments.push(Comment {
            start: offset(self.at),
            end: offset(self.at + trimmed),
            own_line: self.line_breaks > 0,
            blank_before: self.line_breaks > 1,
        });
        self.line_breaks = 0;
        self.at += length;
    }

    fn punctuation(&self, byte: u8) -> Option<(TokenKind, usize)> {
        Some(match byte {
            b'{' => (TokenKind::OpenBrace, 1),
            b'}' => (TokenKind::CloseBrace, 1),
            b'[' => (TokenKind::OpenBracket, 1),
            b']' => (TokenKind::CloseBracket, 1),
            b'(' => (TokenKind::OpenParen, 1),
            b')' => (TokenKind::CloseParen, 1),
            b':' => (TokenKind::Colon, 1),
            b',' => (TokenKind::Comma, 1),
            b'|' => (TokenKind::Bar, 1),
            b'=' => (TokenKind::Equals, 1),
            b'-' if self.peek(1) == Some(b'>') => (TokenKind::Arrow, 2),
            b'-' => (TokenKind::Minus, 1),
            b'.' if self.peek(1) != Some(b'.') => (TokenKind::Dot, 1),
            b'.' if self.peek(2) == Some(b'=') => (TokenKind::DotDotEq, 3),
            b'.' => (TokenKind::DotDot, 2),
            _ => return None,
        })
    }

    /// Returns the end of the following letters, digits and `_`, and whether they are all ASCII.
    fn word(&self) -> (usize, bool) {
        let rest = self.rest();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let ascii = rest.bytes().position(|byte| !plain(byte)).unwrap_or(rest.len());
        let tail = rest.get(ascii..).unwrap_or_default();
        let other = tail.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(tail.len());
        (self.at + ascii + other, other == 0)
    }

    fn name(&mut self) {
        let (end, is_ascii) = self.word();
        if !is_ascii {
            let name = slice(self.source, offset(self.at), offset(end));
            self.report(self.at, end, |span| {
                Diagnostic::error(span, format!("{} is not a name", quote(name)))
                    .label("expected ASCII letters, digits and `_`")
            });
        }
        self.push(TokenKind::Name, end);
    }

    fn digits(&mut self) {
        let (end, _) = self.word();
        let is_hex = self.peek(0) == Some(b'0') && matches!(self.peek(1), Some(b'x' | b'X'));
        self.literal(if is_hex { TokenKind::Hex } else { TokenKind::Int }, end);
    }

    /// Adds a literal, and reports its flaws.
    fn literal(&mut self, kind: TokenKind, end: usize) {
        let span = Span { file: self.file, start: offset(self.at), end: offset(end) };
        let text = slice(self.source, span.start, span.end);
        let reports = &mut self.lexed.reports;
        let mut flaws = |flaw: literal::Flaw| reports.push(|| flaw.diagnostic(text, span));
        match kind {
            TokenKind::Hex => drop(literal::hex_bytes(text, &mut flaws)),
            TokenKind::Int => {
                literal::number(text, &mut flaws);
                // The intended number is unknown, so suppress further errors at this token.
                self.stray |= literal::digits(text).is_none();
            }
            TokenKind::Text if text.contains('\\') => drop(literal::text_bytes(text, &mut flaws)),
            _ => {}
        }
        self.push(kind, end);
    }

    fn text(&mut self) {
        let mut length = 1;
        loop {
            match self.peek(length) {
                Some(b'"') => return self.literal(TokenKind::Text, self.at + length + 1),
                Some(b'\\') if !matches!(self.peek(length + 1), None | Some(b'\n' | b'\r')) => {
                    length += 2;
                }
                None | Some(b'\n' | b'\r') => break,
                Some(_) => length += 1,
            }
        }
        self.unterminated(TokenKind::Text, "the text is not closed", "expected `\"` on this line");
    }

    /// Reports an unterminated literal. The literal extends to the end of the line.
    fn unterminated(&mut self, kind: TokenKind, message: &str, label: &str) {
        let rest = self.rest();
        let line = rest.split(['\n', '\r']).next().unwrap_or(rest);
        let end = self.at + line.trim_end().len();
        self.report(self.at, end, |span| Diagnostic::error(span, message).label(label));
        self.push(kind, end);
        self.stray = true;
    }

    /// Returns the length of an opening such as `r"` or `br##"`, including the quote, and the
    /// number of hashes.
    fn regex_opening(&self) -> Option<(usize, usize)> {
        let rest = self.rest();
        let after = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('r')?;
        let quoted = after.trim_start_matches('#');
        let hashes = after.len() - quoted.len();
        quoted.starts_with('"').then_some((rest.len() - quoted.len() + 1, hashes))
    }

    fn regex(&mut self) {
        let is_bytes = self.peek(0) == Some(b'b');
        let kind = if is_bytes { TokenKind::ByteRegex } else { TokenKind::Regex };
        let Some((opening, hashes)) = self.regex_opening() else { return self.stray() };
        let mut length = opening;
        loop {
            match self.peek(length) {
                None | Some(b'\n' | b'\r') => break,
                Some(b'"') if (1..=hashes).all(|n| self.peek(length + n) == Some(b'#')) => {
                    return self.push(kind, self.at + length + 1 + hashes);
                }
                Some(_) => length += 1,
            }
        }
        let label = format!("expected `\"{}` on this line", "#".repeat(hashes.min(8)));
        self.unterminated(kind, "the regular expression is not closed", &label);
    }

    /// Reports a text in wrong quotes, or stray characters.
    fn wrongly_quoted(&mut self) {
        const FAR: usize = 100;
        let mut characters = self.rest().chars();
        let close = match characters.next() {
            Some('\'') => '\'',
            Some('“' | '”') => '”',
            Some('„') => '“',
            Some('‘' | '’') => '’',
            _ => return self.stray(),
        };
        // Limit the lookahead, because a long line can contain many such quotes.
        let inner = characters.as_str();
        let mut ahead = inner.char_indices().take(FAR);
        let found = ahead.find(|(_, character)| [close, '\n', '\r'].contains(character));
        let Some((length, _)) = found.filter(|(_, character)| *character == close) else {
            return self.stray();
        };
        let end = self.source.len() - inner.len() + length + close.len_utf8();
        self.report(self.at, end, |span| {
            Diagnostic::error(span, "a text in the wrong quotes")
                .label("expected straight double quotes: `\"…\"`")
        });
        self.push(TokenKind::Text, end);
    }

    /// Reports and omits a run of characters that form no token.
    fn stray(&mut self) {
        if self.rest().starts_with("/*") && self.block_comment() {
            return;
        }
        let rest = self.rest();
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let tail = rest.get(first..).unwrap_or_default();
        let end = self.at + first + tail.find(ends_stray).unwrap_or(tail.len());
        let text = slice(self.source, offset(self.at), offset(end));
        self.report(self.at, end, |span| {
            Diagnostic::error(span, format!("stray {}", quote(text)))
                .label("this is not part of the language")
                .optional_help(stray_help(text))
        });
        self.at = end;
        self.stray = true;
    }

    fn block_comment(&mut self) -> bool {
        let end = if self.no_block_end { None } else { self.rest().find("*/") };
        let Some(length) = end else {
            self.no_block_end = true;
            return false;
        };
        let end = self.at + length + 2;
        self.report(self.at, self.at + 2, |span| {
            Diagnostic::error(span, "a block comment")
                .label("not part of the language")
                .help("start each line of the comment with `//`")
        });
        self.at = end;
        self.stray = true;
        true
    }
}

fn ends_stray(character: char) -> bool {
    character.is_whitespace()
        || character.is_alphanumeric()
        || "_\"'{}[]():,.|=-/".contains(character)
}

fn stray_help(text: &str) -> Option<&'static str> {
    Some(match text.chars().next()? {
        ';' => "leave it out: a declaration ends where the next one starts",
        '#' | '/' => "start a comment with `//`",
        '\'' | '“' | '”' | '„' | '‘' | '’' => {
            "write a text in straight double quotes: `\"…\"`"
        }
        '>' | '→' => "write the value of a keyspace after `->`",
        '!' | '<' => "write conditions with `is`, `is not` and `in`",
        _ => return None,
    })
}

/// Converts an offset, which fits because [`lex`] rejects larger files.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
