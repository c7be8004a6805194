//! Completion by the words before the cursor.

use crate::analysis::Analysis;
use keyscape_layout::{
    BACKENDS,
    syntax::{
        ast::{File, Keyspace, all_fields},
        clause_words, declaration_words, value_words,
    },
};
use keyscape_prover::Rule;
use lsp_types::{CompletionItem, CompletionItemKind, Position};

/// Words that can follow `from value`.
const TAKE_WORDS: [(&str, &str); 2] =
    [("each", "an entry for each element of a list"), ("optional", "no entry without the value")];

/// Returns the possible continuations of the text before a position.
pub(crate) fn completions(analysis: &Analysis, position: Position) -> Vec<CompletionItem> {
    let text = analysis.text();
    let offset = analysis.offset(position);
    let before = text.get(..offset).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    if line.matches('"').count() % 2 == 1 || line.contains("//") {
        return Vec::new();
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let context = line.trim_end_matches(is_word);
    let Some(tree) = analysis.trees().first() else { return Vec::new() };
    let words: Vec<&str> = context.split_whitespace().collect();
    let Some(last) = words.last() else {
        let words = declaration_words().chain(clause_words());
        return words.map(|word| item(word, CompletionItemKind::KEYWORD, "")).collect();
    };
    match *last {
        "of" | "also" | "with" => keyspaces(tree),
        "on" => BACKENDS
            .iter()
            .map(|backend| item(backend.name, CompletionItemKind::CONSTANT, backend.because))
            .collect(),
        "accept" => Rule::ALL
            .iter()
            .map(|rule| item(rule.code(), CompletionItemKind::CONSTANT, rule.summary()))
            .collect(),
        "scan" | "by" => fields(tree, offset),
        "->" | "reads" => {
            let words = value_words().map(|word| item(word, CompletionItemKind::KEYWORD, ""));
            words.chain(types(analysis, tree)).collect()
        }
        "from" => vec![item("value", CompletionItemKind::KEYWORD, "")],
        "value" if words.iter().rev().nth(1) == Some(&"from") => TAKE_WORDS
            .iter()
            .map(|(word, detail)| item(word, CompletionItemKind::KEYWORD, detail))
            .collect(),
        "member" | "score" => types(analysis, tree),
        "=" if words.first() == Some(&"type") => types(analysis, tree),
        last if last.ends_with([':', '(']) => types(analysis, tree),
        last if last.ends_with(',') && words.contains(&"also") => keyspaces(tree),
        last if last.ends_with(',') && words.contains(&"scan") => fields(tree, offset),
        _ => Vec::new(),
    }
}

fn item(label: &str, kind: CompletionItemKind, detail: &str) -> CompletionItem {
    let detail = (!detail.is_empty()).then(|| detail.to_owned());
    CompletionItem {
        label: label.to_owned(),
        kind: Some(kind),
        detail,
        ..CompletionItem::default()
    }
}

fn keyspaces(tree: &File) -> Vec<CompletionItem> {
    let names = tree.keyspaces().map(|keyspace| &keyspace.name.text);
    names.map(|name| item(name, CompletionItemKind::FIELD, "")).collect()
}

/// Returns the fields of the keyspace that contains an offset, or that precedes it.
fn fields(tree: &File, offset: usize) -> Vec<CompletionItem> {
    let is_before = |keyspace: &&Keyspace| keyspace.span.start as usize <= offset;
    let key = tree.keyspaces().rfind(is_before).map(|keyspace| &*keyspace.key);
    let fields = all_fields(key.unwrap_or_default()).into_iter().map(|field| &field.name.text);
    let fields = fields.map(|name| item(name, CompletionItemKind::PROPERTY, ""));
    [item("all", CompletionItemKind::KEYWORD, "")].into_iter().chain(fields).collect()
}

/// Returns the codecs, and the types of the document and of its imports.
fn types(analysis: &Analysis, tree: &File) -> Vec<CompletionItem> {
    let mut found: Vec<_> = tree.types().map(|ty| type_item(&ty.name.text)).collect();
    for (import, file) in analysis.imports() {
        let imported = analysis.trees().get(file.0 as usize).into_iter().flat_map(File::types);
        found.extend(imported.map(|ty| match &import.alias {
            Some(alias) => type_item(&format!("{}.{}", alias.text, ty.name.text)),
            None => type_item(&ty.name.text),
        }));
    }
    let codecs = keyscape_codec::names().iter();
    found.extend(codecs.map(|name| item(name, CompletionItemKind::FUNCTION, "codec")));
    found
}

fn type_item(name: &str) -> CompletionItem {
    item(name, CompletionItemKind::STRUCT, "type")
}
