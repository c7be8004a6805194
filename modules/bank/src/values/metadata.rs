//! The conditions on metadata, as `Metadata.Validate` of the Cosmos SDK states them.

use super::{DenomUnit, Metadata};
use crate::Denom;
use std::collections::BTreeSet;

impl Metadata {
    /// Returns the denomination of valid metadata, which is their base.
    ///
    /// Name and symbol are not blank. The units begin with the base, which has exponent 0, and
    /// their exponents increase. Units are denominations, and no unit or alias occurs twice. The
    /// displayed unit is one of them.
    ///
    /// # Errors
    /// The violated condition.
    pub fn validate(&self) -> Result<Denom<'static>, &'static str> {
        let denom = |text: &str| Denom::new(text.to_owned());
        if is_blank(&self.name) {
            return Err("the name is blank");
        }
        if is_blank(&self.symbol) {
            return Err("the symbol is blank");
        }
        let base = denom(&self.base).map_err(|_| "the base is not a denomination")?;
        match self.denom_units.first() {
            Some(unit) if unit.denom == self.base && unit.exponent == 0 => {}
            _ => return Err("the first unit is not the base with exponent 0"),
        }
        let mut names = BTreeSet::new();
        let mut last = None;
        for unit in &self.denom_units {
            if last.is_some_and(|last| last >= unit.exponent) {
                return Err("the exponents of the units do not increase");
            }
            last = Some(unit.exponent);
            if denom(&unit.denom).is_err() {
                return Err("a unit is not a denomination");
            }
            if !names.insert(&*unit.denom) {
                return Err("two units have the same name");
            }
            aliases(unit)?;
        }
        if !names.contains(&*self.display) {
            return Err("the displayed unit is not one of the units");
        }
        Ok(base)
    }
}

fn aliases(unit: &DenomUnit) -> Result<(), &'static str> {
    let mut seen = BTreeSet::new();
    for alias in &unit.aliases {
        if is_blank(alias) {
            return Err("an alias is blank");
        }
        if !seen.insert(alias) {
            return Err("a unit has an alias twice");
        }
    }
    Ok(())
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
