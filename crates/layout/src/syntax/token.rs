//! Tokens and comments of a file, with the line information that the formatter needs.

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
    /// The end of the file, the last token of every file.
    End,
}

/// A token. No token contains a line break.
#[derive(Clone, Copy, Debug)]
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
