//! Access to the text and the syntax tree of a layout.

use crate::{
    Layout,
    model::Keyspace,
    syntax::ast::{Clause, Decl, Seg, all_decls},
};

impl Layout {
    /// Returns the text of the main file.
    #[must_use]
    pub fn text(&self) -> &str {
        self.sources.files().first().map_or("", |file| &file.text)
    }

    /// Returns the declarations of the main file.
    #[must_use]
    pub fn decls(&self) -> &[Decl] {
        self.trees.first().map_or(&[], |tree| &tree.decls)
    }

    /// Returns the syntax tree of the key of a keyspace, or of a field of a hash.
    #[must_use]
    pub fn written_key(&self, keyspace: &Keyspace) -> Option<&[Seg]> {
        self.trees.iter().flat_map(|file| all_decls(&file.decls)).find_map(|decl| {
            let Decl::Keyspace(tree) = decl else { return None };
            let fields = tree.clauses.iter().filter_map(|clause| match clause {
                Clause::HashField(field) => Some((&field.name, &field.key)),
                _ => None,
            });
            let mut keys = [(&tree.name, &tree.key)].into_iter().chain(fields);
            keys.find(|(name, _)| name.span == keyspace.name_span).map(|(_, key)| key.as_slice())
        })
    }
}
