//! Tokens and comments of a file, with the facts about lines that the formatter needs.

use super::keyword::Keyword;

/// The kind of a token. All words are names: only the grammar distinguishes keywords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The end of the file; the last token of every file.
    End,
}

/// A token. No token holds a line break.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// For a name that is spelt like a keyword.
    pub(super) word: Option<Keyword>,
    /// Whether only white space precedes it on its line.
    pub(super) first_on_line: bool,
    /// Whether an empty line precedes it.
    pub(super) blank_before: bool,
    /// Whether something that is no token was left out before it. It has been reported, so a
    /// mistake found at this token is most likely the same one.
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
    /// Whether it has a line to itself.
    pub(super) own_line: bool,
    /// Whether an empty line precedes it.
    pub(super) blank_before: bool,
}

/// The text between two offsets.
pub(super) fn slice(source: &str, start: u32, end: u32) -> &str {
    source.get(start as usize..end as usize).unwrap_or_default()
}
