//! The keywords of the grammar. They are reserved only at the start of a declaration or a clause.

use super::ast::KeyspaceKind;

macro_rules! keywords {
    ($($name:ident $text:literal)*) => {
        /// A keyword of the grammar.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Keyword { $($name),* }

        impl Keyword {
            const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the keyword with this spelling.
            pub(super) fn of(text: &str) -> Option<Self> {
                match text {
                    $($text => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// Returns the spelling of the keyword.
            pub(super) fn text(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

keywords! {
    // Items, from `Import` to `Deprecated`.
    Import "import" Store "store" Family "family" Type "type" Namespace "namespace"
    Item "item" Map "map" Index "index" Sequence "sequence"
    Hash "hash" Set "set" Zset "zset" Queue "queue"
    Allocate "allocate" Reserve "reserve" Deprecated "deprecated"
    // Clauses, from `Scan` to `Accept`.
    Scan "scan" In "in" Unique "unique" Counted "counted" Ranked "ranked"
    Member "member" Score "score" Field "field" Split "split" Accept "accept"
    // Forms of values, from `Empty` to `Proto`.
    Empty "empty" Const "const" Json "json" Proto "proto"
    // All others.
    Structures "structures" On "on" Version "version" As "as" Of "of" Reads "reads"
    From "from" Value "value" Each "each" Optional "optional" Shown "shown"
    If "if" Is "is" Not "not" And "and" Or "or"
    All "all" By "by" Also "also" At "at" First "first" Last "last" With "with" Wrap "wrap" Was "was"
}

impl Keyword {
    /// Returns the kind of keyspace that the keyword starts.
    pub(super) fn keyspace_kind(self) -> Option<KeyspaceKind> {
        Some(match self {
            Self::Item => KeyspaceKind::Item,
            Self::Map => KeyspaceKind::Map,
            Self::Index => KeyspaceKind::Index,
            Self::Sequence => KeyspaceKind::Sequence,
            Self::Hash => KeyspaceKind::Hash,
            Self::Set => KeyspaceKind::Set,
            Self::Zset => KeyspaceKind::Zset,
            Self::Queue => KeyspaceKind::Queue,
            _ => return None,
        })
    }

    /// Whether the keyword starts a declaration or another item of a namespace.
    pub(super) fn starts_item(self) -> bool {
        (Self::Import..=Self::Deprecated).contains(&self)
    }

    /// Whether the keyword starts a clause of a keyspace.
    pub(super) fn starts_clause(self) -> bool {
        (Self::Scan..=Self::Accept).contains(&self)
    }

    /// Whether the keyword starts a clause, a declaration or another item.
    pub(super) fn starts_part(self) -> bool {
        self.starts_clause() || self.starts_item()
    }

    /// Returns the keyword most similar to a misspelt word, among those that `is_allowed` accepts.
    pub(super) fn closest(misspelt: &str, is_allowed: impl Fn(Self) -> bool) -> Option<Self> {
        closest(misspelt, words(is_allowed)).and_then(Self::of)
    }
}

/// Returns the words that start a declaration or another item of a namespace.
pub fn declaration_words() -> impl Iterator<Item = &'static str> {
    words(Keyword::starts_item)
}

/// Returns the words that start a clause of a keyspace.
pub fn clause_words() -> impl Iterator<Item = &'static str> {
    words(Keyword::starts_clause)
}

/// Returns the words that start the value of a row. A value can be a type as well.
pub fn value_words() -> impl Iterator<Item = &'static str> {
    words(|word| (Keyword::Empty..=Keyword::Proto).contains(&word))
}

fn words(is_included: impl Fn(Keyword) -> bool) -> impl Iterator<Item = &'static str> {
    Keyword::ALL.iter().filter(move |word| is_included(**word)).map(|word| word.text())
}

/// Returns the word most similar to a misspelt one, if it is similar enough.
pub(super) fn closest(
    misspelt: &str,
    words: impl IntoIterator<Item = &'static str>,
) -> Option<&'static str> {
    const LONGEST: usize = 16;
    if misspelt.len() > LONGEST {
        return None;
    }
    let misspelt = misspelt.to_ascii_lowercase();
    let distances = words.into_iter().map(|word| (strsim::osa_distance(&misspelt, word), word));
    let is_close =
        |(distance, word): &(usize, &str)| *distance <= tolerated(word.len().min(misspelt.len()));
    distances.filter(is_close).min_by_key(|(distance, _)| *distance).map(|(_, word)| word)
}

/// Returns the largest edit distance at which a misspelt word is recognised. `length` is the length
/// of the shorter word.
fn tolerated(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    }
}
