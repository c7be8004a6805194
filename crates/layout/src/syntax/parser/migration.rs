//! Migrations: `move orders where kind is gift to gifts { … }`.
//!
//! The words of this grammar are names in layouts, so they are compared as text.

use super::{Parser, lex};
use crate::{
    Diagnostic, FileId,
    syntax::{
        ast::{Assign, AssignSource, Cond, MigrationFile, MigrationLayouts, Move, Name, Statement},
        keyword::closest,
        lexer::TokenKind,
        report::quote,
    },
};

/// The words that start a statement.
const STATEMENTS: [&str; 3] = ["move", "drop", "ambiguous"];

/// Parses a migration. All its mistakes are in the diagnostics, in the order of the file.
///
/// ```
/// use keyscape_layout::{FileId, syntax::{ast::Statement, parse_migration}};
///
/// let text = "move orders to purchases { user = customer }\ndrop carts \"now sessions\"";
/// let (file, diagnostics) = parse_migration(text, FileId(0));
/// assert!(diagnostics.is_empty());
/// assert!(matches!(file.statements[..], [Statement::Move(_), Statement::Drop { .. }]));
/// ```
#[must_use]
pub fn parse_migration(source: &str, file: FileId) -> (MigrationFile, Vec<Diagnostic>) {
    let lexed = lex(source, file);
    let mut parser = Parser::new(source, file, &lexed);
    let tree = parser.migration();
    let reports = std::mem::take(&mut parser.reports);
    (tree, lexed.reports.merge(reports))
}

impl Parser<'_> {
    fn migration(&mut self) -> MigrationFile {
        let mut file = MigrationFile { doc: self.file_docs(), ..MigrationFile::default() };
        if self.at_text("from") {
            file.layouts = self.migration_layouts();
        }
        while !self.at(TokenKind::End) {
            let before = self.position;
            match self.statement() {
                Some(statement) => file.statements.push(statement),
                None => self.skip_to_statement(before),
            }
        }
        file
    }

    fn migration_layouts(&mut self) -> Option<MigrationLayouts> {
        let token = self.bump();
        let start = self.span(token);
        let from = self.plain_text("the path of the old layout in quotes")?.text;
        self.text_word("to")?;
        let to = self.plain_text("the path of the new layout in quotes")?.text;
        Some(MigrationLayouts { from, to, span: self.span_from(start) })
    }

    fn statement(&mut self) -> Option<Statement> {
        let start = self.span(self.current());
        if self.eat_text("drop") {
            let from = self.dotted_name("the keyspace whose rows are dropped")?;
            let condition = self.rows()?;
            let reason = self.reason()?;
            return Some(Statement::Drop { from, condition, reason, span: self.span_from(start) });
        }
        if self.eat_text("ambiguous") {
            self.text_word("first")?;
            let reason = self.reason()?;
            return Some(Statement::Ambiguous { reason, span: self.span_from(start) });
        }
        if !self.eat_text("move") {
            self.report_no_statement();
            return None;
        }
        let from = self.dotted_name("the keyspace whose rows are moved")?;
        let condition = self.rows()?;
        let to = match self.eat_text("to") {
            true => Some(self.dotted_name("the keyspace that gets the rows")?),
            false => None,
        };
        let assigns = if self.at(TokenKind::OpenBrace) { self.assigns(&from)? } else { Vec::new() };
        let otherwise = match self.eat_text("else") {
            true => {
                self.text_word("drop")?;
                Some(self.reason()?)
            }
            false => None,
        };
        let span = self.span_from(start);
        Some(Statement::Move(Move { from, condition, to, assigns, otherwise, span }))
    }

    /// Parses `[where cond]`. Returns `None` after an error.
    fn rows(&mut self) -> Option<Option<Cond>> {
        if self.eat_text("where") { self.condition().map(Some) } else { Some(None) }
    }

    fn assigns(&mut self, from: &Name) -> Option<Vec<Assign>> {
        let opener = self.open()?;
        let mut assigns = Vec::new();
        while !matches!(self.current().kind, TokenKind::CloseBrace | TokenKind::End) {
            if self.at_statement() {
                break;
            }
            let Some(assign) = self.assign() else {
                self.leave();
                return None;
            };
            assigns.push(assign);
            self.eat(TokenKind::Comma);
        }
        self.close(opener, format_args!("the fields of {}", quote(&from.text)));
        Some(assigns)
    }

    fn assign(&mut self) -> Option<Assign> {
        let target = self.dotted_name("a new field")?;
        self.equals(format_args!("the field {}", quote(&target.text)));
        let source = match self.current().kind {
            TokenKind::Int | TokenKind::Minus => AssignSource::Int(self.integer("a number")?),
            TokenKind::Hex | TokenKind::Text => AssignSource::Literal(self.literal("a constant")?),
            _ => {
                let name = self.dotted_name("an old field or a constant")?;
                match self.at(TokenKind::OpenParen) {
                    true => self.call(name)?,
                    false => AssignSource::Path(name),
                }
            }
        };
        Some(Assign { target, source })
    }

    fn call(&mut self, function: Name) -> Option<AssignSource> {
        let opener = self.open()?;
        if function.text == "program" {
            self.close(opener, "`program`, which takes no field");
            return Some(AssignSource::Program(function.span));
        }
        let argument = self.dotted_name("an old field")?;
        self.close(opener, format_args!("the call of {}", quote(&function.text)));
        Some(AssignSource::Call { function, argument })
    }

    fn at_text(&self, word: &str) -> bool {
        let token = self.current();
        token.kind == TokenKind::Name && self.text(token) == word
    }

    fn eat_text(&mut self, word: &str) -> bool {
        let found = self.at_text(word);
        if found {
            self.bump();
        }
        found
    }

    /// Parses a word that must follow.
    fn text_word(&mut self, word: &str) -> Option<()> {
        if self.eat_text(word) {
            return Some(());
        }
        self.report_expected(quote(word));
        None
    }

    fn at_statement(&self) -> bool {
        self.current().first_on_line && STATEMENTS.iter().any(|word| self.at_text(word))
    }

    fn report_no_statement(&mut self) {
        self.report(|parser, span| {
            let error = parser.expected("`move`, `drop` or `ambiguous`", span);
            let help = closest(parser.text(parser.current()), STATEMENTS)
                .map(|word| format!("did you mean {}?", quote(word)));
            error.label("expected a statement").optional_help(help)
        });
    }

    /// Skips to the next statement after a mistake.
    fn skip_to_statement(&mut self, before: usize) {
        if self.position == before {
            self.bump();
        }
        while !self.at(TokenKind::End) && !self.at_statement() {
            self.bump();
        }
        self.brackets.clear();
    }
}
