//! Migrations from the rows of an old layout to the rows of a new one.
//!
//! A migration is a list of [pieces](Piece). Each piece selects some rows of an old keyspace, and
//! moves them to a new keyspace or drops them. The first piece whose condition holds for a row
//! applies. Keyspaces that a migration does not mention move to their counterparts. Entries of
//! indexes are derived again.
//!
//! [`Migration::read`] resolves a declaration, [`Migration::image`] computes the new row of an old
//! one, and [`Migration::prove`] decides five claims for all rows before a byte moves:
//!
//! | rule | claim |
//! |---|---|
//! | [KS111](Claim::Total) | every old row is moved or dropped by name |
//! | [KS112](Claim::Injective) | no two old rows get the same new key |
//! | [KS113](Claim::Fitting) | every moved value is in the domain of the new field |
//! | [KS114](Claim::Restartable) | every key of a half-migrated store is known to be old or new |
//! | [KS115](Claim::Reversible) | the inverse migration exists |

mod assign;
mod assign_value;
mod claim;
mod constant;
mod convert;
mod fitting;
mod injective;
mod inverse;
mod make;
mod narrow;
mod recipe;
mod resolve;
mod restart;
mod row;
mod total;
mod unfitting;

pub use claim::{Answer, Claim, MigrationFault, Proof, Undecided, Verdict};
pub use recipe::{Recipe, Treatment};
pub use row::{Image, ImageValue, OldRow, OldValue, Unfit};

use keyscape_layout::{Layout, Span, guard::Guard, model::KeyspaceId};
use make::{MadeField, Make};
use row::RowType;

/// A migration from an old layout to a new one.
#[derive(Debug)]
pub struct Migration<'a> {
    /// The old layout.
    pub old: &'a Layout,
    /// The new layout.
    pub new: &'a Layout,
    /// The reason that the declaration gives for taking the first fitting reading of an ambiguous
    /// key. Without a reason, an ambiguous key is an error.
    pub ambiguous: Option<String>,
    pieces: Vec<Piece>,
    old_types: Vec<RowType>,
    new_types: Vec<RowType>,
}

/// Some rows of an old keyspace, and the action for them.
#[derive(Clone, Debug)]
pub struct Piece {
    /// The old keyspace.
    pub from: KeyspaceId,
    /// The condition that selects the rows; without one, all rows. Rows of earlier pieces of the
    /// keyspace are excluded.
    pub condition: Option<Guard>,
    /// The action for the selected rows.
    pub action: Action,
    /// The place of the statement; `None` for a piece without a statement.
    pub span: Option<Span>,
}

/// The action for the rows of a [`Piece`].
#[derive(Clone, Debug)]
pub enum Action {
    /// The rows get keys of a new keyspace.
    Move(Moved),
    /// The rows are deleted.
    Drop {
        /// The reason that the declaration gives.
        reason: String,
    },
    /// The rows are entries of an index. They stay if the index and the keys of its map stay.
    /// Otherwise they are deleted, and the new index is built from its map.
    Derive {
        /// The new index, if the entries stay.
        kept: Option<KeyspaceId>,
    },
}

/// Rows that move to a new keyspace.
#[derive(Clone, Debug)]
pub struct Moved {
    /// The new keyspace.
    pub to: KeyspaceId,
    /// The reason for dropping rows that do not fit. Without a reason, such a row is an error.
    pub otherwise: Option<String>,
    /// Whether every row that fits keeps its key.
    pub keeps_key: bool,
    /// Whether every row that fits keeps its value and score.
    pub keeps_value: bool,
    /// Whether the new keyspace contains all rows of the old one with the same bytes.
    pub is_identical: bool,
    /// The fields of the new row that are made. Other fields are absent.
    fields: Vec<MadeField>,
    /// The value, for each form that the old value may have.
    value: Box<ValuePlan>,
}

/// The conversions of the value of a row: from its declared form, and from the older form after
/// `reads`.
#[derive(Clone, Debug)]
struct ValuePlan {
    declared: FormPlan,
    reads: FormPlan,
}

/// The conversion of values of one form.
#[derive(Clone, Debug)]
enum FormPlan {
    /// The bytes stay.
    Keep,
    /// The new layout defines the only possible value.
    Fixed,
    /// The value is computed.
    Make(Make),
    /// Values of this form cannot be converted.
    Unfit,
}

impl Moved {
    /// Whether every row keeps its bytes, and none is dropped.
    #[must_use]
    pub const fn keeps_all(&self) -> bool {
        self.is_identical || self.keeps_key && self.keeps_value && self.otherwise.is_none()
    }

    /// Returns the new fields that a function of the program makes, and `value` if it makes the
    /// value.
    pub fn made_by_program(&self) -> impl Iterator<Item = &str> {
        let fields = self.fields.iter().filter(|field| matches!(field.make, Make::Program));
        let names = fields.map(|field| field.name.as_str());
        names.chain(self.is_value_by_program().then_some(row::VALUE))
    }

    /// Whether a function of the program makes the value.
    #[must_use]
    pub fn is_value_by_program(&self) -> bool {
        matches!(self.value.declared, FormPlan::Make(Make::Program))
    }
}

impl Migration<'_> {
    /// Returns the pieces, in the order in which they apply.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Whether only a program can run the migration, because its functions make some fields or
    /// values.
    #[must_use]
    pub fn needs_program(&self) -> bool {
        self.pieces.iter().any(|piece| match &piece.action {
            Action::Move(moved) => moved.made_by_program().next().is_some(),
            Action::Drop { .. } | Action::Derive { .. } => false,
        })
    }

    /// Returns the pieces of an old keyspace, in the order in which they apply.
    fn pieces_of(&self, from: KeyspaceId) -> impl Iterator<Item = &Piece> {
        self.pieces.iter().filter(move |piece| piece.from == from)
    }

    fn old_type(&self, id: KeyspaceId) -> &RowType {
        &self.old_types[id.0 as usize]
    }

    fn new_type(&self, id: KeyspaceId) -> &RowType {
        &self.new_types[id.0 as usize]
    }
}
