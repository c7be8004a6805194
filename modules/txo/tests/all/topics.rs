//! Topics: consumed outputs, and transactions that leave a topic as a whole.

use crate::world::{assert_sound, dotted, in_transaction, name, outpoint, txid};
use keyscape::store::Tx;
use keyscape_txo::{
    error::Error,
    invariants,
    keeper::{self, Admission, NewOutput},
    layout::txo::{ADMITTED, Outpoint},
    score, undo,
};

fn save(tx: &mut Tx<'_>, number: u8, vout: u32) -> Result<(), Error> {
    let new = NewOutput::new(outpoint(number, vout), 5, score::seen(number.into()));
    keeper::save_output(tx, &new).map(drop)
}

fn admit(tx: &mut Tx<'_>, at: Outpoint, inputs: &[Outpoint]) -> Result<(), Error> {
    let admission = Admission { inputs: inputs.to_vec(), deps: Vec::new() };
    keeper::admit(tx, &name("t"), at, &admission).map(drop)
}

fn apply(tx: &mut Tx<'_>, number: u8) -> Result<(), Error> {
    keeper::apply(tx, &name("t"), txid(number), score::seen(number.into())).map(drop)
}

#[test]
fn consumed_outputs_are_admitted_first_and_stay() {
    in_transaction(|tx| {
        save(tx, 1, 0)?;
        save(tx, 2, 0)?;
        admit(tx, outpoint(2, 0), &[outpoint(1, 0)])?;
        assert_eq!(keeper::missing_dependencies(tx, &name("t"), txid(2))?, [txid(1)]);
        assert_eq!(keeper::missing_inputs(tx, &name("t"), txid(2))?, [outpoint(1, 0)]);
        let error = apply(tx, 2).unwrap_err();
        assert!(matches!(error, Error::NotReady { missing, .. } if missing == txid(1)), "{error}");
        apply(tx, 1)?;
        let error = apply(tx, 2).unwrap_err();
        assert!(
            matches!(error, Error::MissingInput { input, .. } if input == outpoint(1, 0)),
            "{error}"
        );
        admit(tx, outpoint(1, 0), &[])?;
        apply(tx, 2)?;
        assert_sound(tx);
        for error in [
            keeper::unapply(tx, &name("t"), txid(1)).unwrap_err(),
            keeper::remove_from_topic(tx, &name("t"), outpoint(1, 0)).unwrap_err(),
        ] {
            assert!(matches!(error, Error::Needed { by, .. } if by == txid(2)), "{error}");
        }
        ADMITTED.remove(tx, outpoint(1, 0), name("t"))?;
        let found = invariants::dependents(tx)?;
        let text = format!("has not admitted output {}, which it consumes", dotted(1, 0));
        assert!(found.len() == 1 && found[0].what.ends_with(&text), "{found:?}");
        Ok(())
    });
}

/// The outputs of an applied transaction once stayed without it, and dependents of an output left
/// although another one was lost.
#[test]
fn a_rollback_releases_whole_transactions_or_exact_outputs() {
    in_transaction(|tx| {
        for (number, vout) in [(1, 0), (2, 0), (2, 1), (3, 0), (4, 0), (4, 1), (5, 0), (6, 0)] {
            save(tx, number, vout)?;
        }
        // Transaction 2 is applied: it leaves with both outputs, and so does 3.
        admit(tx, outpoint(1, 0), &[])?;
        apply(tx, 1)?;
        admit(tx, outpoint(2, 0), &[outpoint(1, 0)])?;
        admit(tx, outpoint(2, 1), &[])?;
        apply(tx, 2)?;
        admit(tx, outpoint(3, 0), &[outpoint(2, 1)])?;
        apply(tx, 3)?;
        // Transaction 4 is not applied: only the output that consumes leaves, with what consumes
        // it.
        admit(tx, outpoint(4, 0), &[outpoint(1, 0)])?;
        admit(tx, outpoint(4, 1), &[])?;
        admit(tx, outpoint(5, 0), &[outpoint(4, 0)])?;
        admit(tx, outpoint(6, 0), &[outpoint(4, 1)])?;
        assert_sound(tx);
        let mut released = undo::rollback(tx, txid(1))?.released;
        released.sort_by_key(|(_, at)| (at.txid, at.vout));
        let expected = [(2, 0), (2, 1), (3, 0), (4, 0), (5, 0)]
            .map(|(number, vout)| (name("t"), outpoint(number, vout)));
        assert_eq!(released, expected);
        assert_eq!(keeper::applied(tx, &name("t"), txid(3))?, None);
        assert_eq!(keeper::topic_count(tx, &name("t"))?, 2);
        assert_sound(tx);
        Ok(())
    });
}

#[test]
fn a_replacement_reports_the_outputs_that_left_topics() {
    in_transaction(|tx| {
        undo::begin_block(tx, 1)?;
        save(tx, 2, 0)?;
        save(tx, 3, 0)?;
        keeper::save_spend(tx, outpoint(1, 0), txid(2), score::seen(2))?;
        admit(tx, outpoint(2, 0), &[])?;
        admit(tx, outpoint(3, 0), &[outpoint(2, 0)])?;
        let spend = keeper::save_spend(tx, outpoint(1, 0), txid(9), score::confirmed(1, 0))?;
        assert_eq!(spend.replaced.transactions, [txid(2)]);
        assert_eq!(spend.replaced.released, [(name("t"), outpoint(3, 0))]);
        assert_sound(tx);
        Ok(())
    });
}
