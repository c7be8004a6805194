//! Completion by the words before the cursor.

use crate::{analysis::Analysis, location::LineIndex};
use keyscape_layout::{
    BACKENDS,
    syntax::{
        ast::{Decl, File, Seg, all_decls},
        clause_words, declaration_words, parse,
    },
};
use keyscape_prover::Rule;
use lsp_types::{CompletionItem, CompletionItemKind, Position};

/// Words that can follow `->`.
const VALUE_WORDS: [&str; 4] = ["empty", "const", "json", "proto"];

/// Words that can follow `from value`.
const TAKE_WORDS: [(&str, &str); 2] =
    [("each", "an entry for each element of a list"), ("optional", "no entry without the value")];

/// Returns the possible continuations of the text before a position.
pub(crate) fn completions(analysis: &Analysis, position: Position) -> Vec<CompletionItem> {
    let text = analysis.text();
    let offset = LineIndex::new(text).offset(position);
    let before = text.get(..offset).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    if line.matches('"').count() % 2 == 1 || line.contains("//") {
        return Vec::new();
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let context = line.trim_end_matches(is_word);
    let tree = analysis.tree();
    let words: Vec<&str> = context.split_whitespace().collect();
    let Some(last) = words.last() else {
        let words = declaration_words().chain(clause_words());
        return words.map(|word| item(word, CompletionItemKind::KEYWORD, "")).collect();
    };
    match *last {
        "of" | "also" | "with" => keyspaces(&tree),
        "on" => BACKENDS
            .iter()
            .map(|backend| item(backend.name, CompletionItemKind::CONSTANT, backend.because))
            .collect(),
        "accept" => Rule::ALL
            .iter()
            .map(|rule| item(rule.code(), CompletionItemKind::CONSTANT, rule.summary()))
            .collect(),
        "scan" | "by" => fields(&tree, offset),
        "->" | "reads" => {
            let words = VALUE_WORDS.iter().map(|word| item(word, CompletionItemKind::KEYWORD, ""));
            words.chain(types(analysis, &tree)).collect()
        }
        "from" => vec![item("value", CompletionItemKind::KEYWORD, "")],
        "value" if words.iter().rev().nth(1) == Some(&"from") => TAKE_WORDS
            .iter()
            .map(|(word, detail)| item(word, CompletionItemKind::KEYWORD, detail))
            .collect(),
        "member" | "score" => types(analysis, &tree),
        "=" if words.first() == Some(&"type") => types(analysis, &tree),
        last if last.ends_with([':', '(']) => types(analysis, &tree),
        last if last.ends_with(',') && words.contains(&"also") => keyspaces(&tree),
        last if last.ends_with(',') && words.contains(&"scan") => fields(&tree, offset),
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
    let names = all_decls(&tree.decls).into_iter().filter_map(|decl| match decl {
        Decl::Keyspace(keyspace) => Some(&keyspace.name.text),
        _ => None,
    });
    names.map(|name| item(name, CompletionItemKind::FIELD, "")).collect()
}

/// Returns the fields of the keyspace that contains an offset, or that precedes it.
fn fields(tree: &File, offset: usize) -> Vec<CompletionItem> {
    let mut keys = all_decls(&tree.decls).into_iter().filter_map(|decl| match decl {
        Decl::Keyspace(keyspace) if keyspace.span.start as usize <= offset => Some(&*keyspace.key),
        _ => None,
    });
    let mut found = vec![item("all", CompletionItemKind::KEYWORD, "")];
    collect_fields(keys.next_back().unwrap_or_default(), &mut found);
    found
}

fn collect_fields(segs: &[Seg], found: &mut Vec<CompletionItem>) {
    for seg in segs {
        match seg {
            Seg::Field(field) => {
                found.push(item(&field.name.text, CompletionItemKind::PROPERTY, ""));
            }
            Seg::Option(option) => collect_fields(&option.segs, found),
            Seg::Wrap(wrap) => collect_fields(&wrap.segs, found),
            Seg::Lit(_) | Seg::Derived(_) => {}
        }
    }
}

/// Returns the codecs, and the types of the document and of its imports.
fn types(analysis: &Analysis, tree: &File) -> Vec<CompletionItem> {
    let mut found = declared_types(tree, None);
    let main = analysis.sources().files().first().map_or("", |file| &file.path);
    for decl in &tree.decls {
        let Decl::Import(import) = decl else { continue };
        let Some(file) = analysis.sources().linked(&import.path, main) else { continue };
        let (imported, _) = parse(&file.text, keyscape_layout::FileId::default());
        let alias = import.alias.as_ref().map(|alias| alias.text.as_str());
        found.extend(declared_types(&imported, alias));
    }
    let codecs = keyscape_codec::names().iter();
    found.extend(codecs.map(|name| item(name, CompletionItemKind::FUNCTION, "codec")));
    found
}

fn declared_types(tree: &File, alias: Option<&str>) -> Vec<CompletionItem> {
    let types = tree.decls.iter().filter_map(|decl| match decl {
        Decl::Type(ty) => Some(&ty.name.text),
        _ => None,
    });
    let qualified = |name: &String| match alias {
        Some(alias) => format!("{alias}.{name}"),
        None => name.clone(),
    };
    types.map(|name| item(&qualified(name), CompletionItemKind::STRUCT, "type")).collect()
}
