//! Names of Rust items: case, keywords, and no name twice.

use keyscape_layout::{Layout, model::KeyspaceId};
use proc_macro2::{Ident, Span};
use std::collections::HashSet;

/// Words that no item may be called, not even as a raw name.
const NEVER: &[&str] = &["self", "Self", "super", "crate", "_"];

/// Names of the prelude that generated code uses unqualified.
const PRELUDE: &[&str] = &[
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Default",
    "Drop",
    "Err",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Into",
    "IntoIterator",
    "Iterator",
    "None",
    "Ok",
    "Option",
    "Result",
    "Send",
    "Some",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Vec",
];

/// Names of locals and parameters in generated functions.
const LOCALS: &[&str] = &[
    "bytes", "rest", "out", "key", "view", "rt", "present", "element", "value", "f", "fields",
    "row", "visit", "error", "pieces", "place", "state",
];

/// Whether a name is that of a type parameter of generated code, such as `T0`.
fn is_type_parameter(name: &str) -> bool {
    let number = name.strip_prefix('T').unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns an identifier. A keyword becomes a raw identifier.
pub(crate) fn ident(name: &str) -> Ident {
    if NEVER.contains(&name) {
        return Ident::new(&format!("{name}_"), Span::call_site());
    }
    match syn::parse_str::<Ident>(name) {
        Ok(ident) => ident,
        Err(_) => Ident::new_raw(name, Span::call_site()),
    }
}

/// Returns the local for a field. It differs from all other locals of generated functions, and from
/// the locals of other fields: `rest` becomes `rest_`, and `rest_` becomes `rest__`.
pub(crate) fn local(name: &str) -> Ident {
    let is_taken = LOCALS.contains(&name.trim_end_matches('_'));
    if is_taken { ident(&format!("{name}_")) } else { ident(name) }
}

/// Converts `send_enabled` to `SendEnabled`. Keeps existing capitals.
pub(crate) fn camel(name: &str) -> String {
    let mut camel = String::new();
    let mut start = true;
    for char in name.chars() {
        if !char.is_ascii_alphanumeric() {
            start = true;
        } else if start {
            camel.push(char.to_ascii_uppercase());
            start = false;
        } else {
            camel.push(char);
        }
    }
    if camel.is_empty() {
        return "Empty".to_owned();
    }
    if camel.starts_with(|first: char| first.is_ascii_digit()) {
        camel.insert(0, 'N');
    }
    camel
}

/// Converts `send_enabled` to `SEND_ENABLED` and `nextId` to `NEXT_ID`.
pub(crate) fn shout(name: &str) -> String {
    snake(name).to_ascii_uppercase()
}

/// Converts `outpoint.txid` to `outpoint_txid` and `nextId` to `next_id`.
pub(crate) fn snake(name: &str) -> String {
    let mut snake = String::new();
    let mut lower = false;
    for char in name.chars() {
        if char.is_ascii_uppercase() && lower {
            snake.push('_');
        }
        lower = char.is_ascii_lowercase() || char.is_ascii_digit();
        snake.push(if char.is_ascii_alphanumeric() { char.to_ascii_lowercase() } else { '_' });
    }
    snake
}

/// Names that the module of every store defines or imports.
const MODULE_NAMES: &[&str] = &["LAYOUT", "fits", "rt"];

/// The names of one scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
    /// Whether the names are those of a module, which generated code uses unqualified.
    is_module: bool,
}

impl Names {
    /// Returns the scope of the module of a store.
    pub(crate) fn of_module() -> Self {
        Self { is_module: true, ..Self::with_taken(MODULE_NAMES) }
    }

    /// Returns a scope in which some names are taken.
    pub(crate) fn with_taken(names: &[&str]) -> Self {
        let taken = names.iter().map(|name| (*name).to_owned()).collect();
        Self { taken, is_module: false }
    }

    /// Whether generated code uses a name of this scope for something else.
    fn is_used(&self, name: &str) -> bool {
        PRELUDE.contains(&name) || self.is_module && is_type_parameter(name)
    }

    /// Claims a name, or the next free name with a number after it.
    pub(crate) fn claim(&mut self, name: &str) -> String {
        let name = if self.is_used(name) { format!("{name}Type") } else { name.to_owned() };
        let mut free = name.clone();
        let mut number = 2;
        while !self.taken.insert(free.clone()) {
            free = format!("{name}{number}");
            number += 1;
        }
        free
    }

    /// Claims the first name if it is free; otherwise claims the second one.
    pub(crate) fn claim_either(&mut self, name: &str, otherwise: &str) -> String {
        if !self.is_used(name) && self.taken.insert(name.to_owned()) {
            return name.to_owned();
        }
        self.claim(otherwise)
    }
}

/// The names of a keyspace in Rust.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyspaceNames {
    /// The type of the keyspace.
    pub(crate) marker: String,
    /// The constant of that type.
    pub(crate) constant: String,
}

impl KeyspaceNames {
    /// Claims the names of all keyspaces. Declared types get their names first, then keyspaces,
    /// then keys and scans, in any order of declaration. If keyspaces have the same name in Rust,
    /// those in snake case come first, and then the alphabet decides.
    pub(crate) fn of_all(layout: &Layout, names: &mut [Names]) -> Vec<Self> {
        let mut all = vec![Self::default(); layout.keyspaces.len()];
        let mut order: Vec<KeyspaceId> = layout.keyspace_ids().collect();
        order.sort_by_key(|&id| {
            let name = &layout.keyspace(id).name;
            (snake(name) != *name, name)
        });
        for id in order {
            let keyspace = layout.keyspace(id);
            let names = &mut names[keyspace.store.0 as usize];
            let (marker, constant) = (camel(&keyspace.name), shout(&keyspace.name));
            all[id.0 as usize] = Self {
                marker: names.claim_either(&marker, &format!("{marker}Space")),
                constant: names.claim_either(&constant, &format!("{constant}_SPACE")),
            };
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_conventions_of_rust() {
        assert_eq!(camel("send_enabled"), "SendEnabled");
        assert_eq!(camel("initiatedBy"), "InitiatedBy");
        assert_eq!(camel("2x"), "N2x");
        assert_eq!(camel("--"), "Empty");
        assert_eq!(shout("nextAccountId"), "NEXT_ACCOUNT_ID");
        assert_eq!(snake("outpoint.txid"), "outpoint_txid");
    }

    #[test]
    fn keywords_and_taken_names_are_changed() {
        assert_eq!(ident("type").to_string(), "r#type");
        assert_eq!(ident("self").to_string(), "self_");
        assert_eq!(local("rest").to_string(), "rest_");
        assert_eq!(local("rest_").to_string(), "rest__");
        let mut names = Names::default();
        assert_eq!(names.claim("Option"), "OptionType");
        assert_eq!(names.claim("T1"), "T1");
        assert_eq!(Names::of_module().claim("T1"), "T1Type");
        assert_eq!(names.claim("Orders"), "Orders");
        assert_eq!(names.claim("Orders"), "Orders2");
        assert_eq!(names.claim_either("Orders", "OrdersSpace"), "OrdersSpace");
    }
}
