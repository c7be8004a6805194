//! The claims about migrations agree with the images of all rows, on random pairs of layouts.

use keyscape_evolution::migration::Claim;
use keyscape_oracle::{Compared, Words, compare_moves_seed};
use std::collections::BTreeMap;

const PAIRS: u64 = 350;
/// The least number of proved and of refuted claims.
const ENOUGH: usize = 10;

#[test]
fn migrations_and_the_oracle_agree_on_random_pairs() {
    let mut words = Words::default();
    let mut counts: BTreeMap<(Claim, Option<bool>), usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for seed in 0..PAIRS {
        match compare_moves_seed(seed, &mut words) {
            Compared::Rejected(_) | Compared::TooLarge => {}
            Compared::Disagreed(why) => wrong.push(why),
            Compared::Agreed(agreed) => {
                agreed.into_iter().for_each(|outcome| *counts.entry(outcome).or_default() += 1);
            }
        }
    }
    let count = wrong.len();
    wrong.truncate(6);
    assert!(wrong.is_empty(), "{count} disagreements\n{}", wrong.join("\n"));
    for claim in Claim::ALL {
        let count = |is_proved| counts.get(&(claim, Some(is_proved))).copied().unwrap_or_default();
        let (proved, refuted) = (count(true), count(false));
        assert!(proved.min(refuted) >= ENOUGH, "{claim:?}: {proved} and {refuted}");
    }
}

/// Types, also those of arms, lose or gain optional parts; readings of one key move to one
/// keyspace; the declared form reads all values of the older one; keys collide although no score
/// fits.
#[test]
fn seeds_of_repaired_verdicts_agree() {
    for seed in [
        4189,
        5071,
        5423,
        7277,
        7885,
        8809,
        20_261_119_517_489,
        20_261_118_914_858,
        20_261_118_914_862,
        20_261_119_217_164,
    ] {
        let compared = compare_moves_seed(seed, &mut Words::default());
        assert!(matches!(compared, Compared::Agreed(_)), "{compared:?}");
    }
}
