//! Properties of the exchange, of medians and of escrows.

use crate::setup::{
    account, at, begin, completed, fund, governance, has, paw, processing, provider, sound, token,
    u,
};
use keyscape::U256;
use keyscape_paw::{
    Account, Error, ErrorKind, invariants,
    keeper::{
        compute,
        dex::{self, Amounts, Swap},
        oracle,
    },
    number::sqrt,
};
use proptest::prelude::*;

/// Creates a pool with any reserves, and two accounts with plenty of both tokens.
fn with_pool(
    tx: &mut keyscape::store::Tx<'_>,
    a: u64,
    b: u64,
) -> Result<(u64, [Account<'static>; 2]), Error> {
    let who = [account(1), account(2)];
    for one in &who {
        fund(tx, one, "100000000000000uatom,100000000000000upaw")?;
    }
    let (atom, paw) = (token("uatom"), token("upaw"));
    let (id, _) = dex::create_pool(tx, at(0), &who[0], (&atom, u(a)), (&paw, u(b)))?;
    Ok((id, who))
}

proptest! {
    #[test]
    fn a_root_is_the_largest_with_its_square(high: u128, low: u128) {
        let square = U256::from_words(high, low);
        let root = sqrt(square);
        prop_assert!(root.checked_mul(root).is_some_and(|power| power <= square));
        let above = root + 1;
        prop_assert!(above.checked_mul(above).is_none_or(|power| power > square));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// No swap lowers the product of the reserves, and every state is sound.
    #[test]
    fn k_never_falls_by_a_swap(
        a in 1_000_u64..1_000_000_000,
        b in 1_000_u64..1_000_000_000,
        swaps in proptest::collection::vec((any::<bool>(), 1_u64..200_000_000), 1..12),
    ) {
        let db = paw();
        let mut tx = begin(&db);
        let (id, who) = with_pool(&mut tx, a, b).unwrap();
        let tokens = [token("uatom"), token("upaw")];
        for (height, (is_a, amount)) in (1..).zip(swaps) {
            let before = dex::get_pool(&tx, id).unwrap();
            let order = Swap {
                pool: id,
                trader: &who[1],
                token_in: &tokens[usize::from(is_a)],
                amount_in: u(amount),
                min_out: U256::ZERO,
            };
            // If the amount is too large or too small, or the pool is paused, nothing changes.
            let _ = dex::swap(&mut tx, at(height), &order);
            let after = dex::get_pool(&tx, id).unwrap();
            prop_assert_eq!(invariants::product_never_falls(id, &before, &after), []);
        }
        sound(&tx);
    }

    /// An account that adds liquidity and removes it again never has more than before.
    #[test]
    fn adding_and_removing_never_gains(
        a in 1_000_u64..1_000_000_000,
        b in 1_000_u64..1_000_000_000,
        most in (1_u64..1_000_000_000, 1_u64..1_000_000_000),
        parts in proptest::collection::vec(1_u64..1_000, 1..4),
    ) {
        let db = paw();
        let mut tx = begin(&db);
        let (id, who) = with_pool(&mut tx, a, b).unwrap();
        let before = (has(&tx, &who[1], "uatom"), has(&tx, &who[1], "upaw"));
        let most = Amounts { a: u(most.0), b: u(most.1) };
        let mut height = 1;
        match dex::add_liquidity(&mut tx, at(height), id, &who[1], most, U256::ONE) {
            Err(error) => prop_assert!(matches!(error.kind(), ErrorKind::Invalid(_)), "{error}"),
            Ok((_, used)) => prop_assert!(used.a <= most.a && used.b <= most.b),
        }
        for part in parts {
            height += 100;
            let owned = dex::get_shares(&tx, id, &who[1]).unwrap();
            let removed = owned.min((owned * u(part) / u(500)).max(U256::ONE));
            if owned > U256::ZERO {
                let none = Amounts::default();
                dex::remove_liquidity(&mut tx, at(height), id, &who[1], removed, none).unwrap();
            }
        }
        let after = (has(&tx, &who[1], "uatom"), has(&tx, &who[1], "upaw"));
        prop_assert!(after.0 <= before.0 && after.1 <= before.1, "{before:?} {after:?}");
        sound(&tx);
    }

    /// Two providers get fees in the ratio of their shares, up to one coin of rounding.
    #[test]
    fn fees_follow_shares(part in 1_u64..50, amount in 1_000_u64..900_000) {
        let db = paw();
        let mut tx = begin(&db);
        let (id, who) = with_pool(&mut tx, 10_000_000, 10_000_000).unwrap();
        let most = Amounts { a: u(part * 1_000_000), b: u(part * 1_000_000) };
        dex::add_liquidity(&mut tx, at(1), id, &who[1], most, U256::ONE).unwrap();
        let order = Swap {
            pool: id,
            trader: &who[0],
            token_in: &token("upaw"),
            amount_in: u(amount),
            min_out: U256::ZERO,
        };
        let _ = dex::swap(&mut tx, at(2), &order).unwrap();
        let first = dex::claim_fees(&mut tx, at(3), id, &who[0]).unwrap().b;
        let second = dex::claim_fees(&mut tx, at(3), id, &who[1]).unwrap().b;
        let fee = u((amount * 25).div_ceil(10_000));
        prop_assert!(first + second <= fee && first + second + 2 >= fee);
        let expected = fee * u(part) / u(part + 10);
        prop_assert!(second <= expected + 1 && second + 1 >= expected, "{second} {expected}");
    }

    /// A median is one of the values, has half of the weight on each side, and does not depend on
    /// the order.
    #[test]
    fn a_weighted_median_is_a_vote_in_the_middle(
        mut values in proptest::collection::vec((0_u64..50, 1_u64..100), 1..20),
    ) {
        let mut votes: Vec<_> = values.iter().map(|(value, weight)| (u(*value), u(*weight))).collect();
        let median = oracle::weighted_median(&mut votes).unwrap();
        prop_assert!(values.iter().any(|(value, _)| u(*value) == median));
        let total: u64 = values.iter().map(|(_, weight)| weight).sum();
        let below: u64 = values.iter().filter(|(value, _)| u(*value) < median).map(|vote| vote.1).sum();
        let above: u64 = values.iter().filter(|(value, _)| u(*value) > median).map(|vote| vote.1).sum();
        prop_assert!(below * 2 < total && above * 2 <= total);
        values.reverse();
        let mut votes: Vec<_> = values.iter().map(|(value, weight)| (u(*value), u(*weight))).collect();
        prop_assert_eq!(oracle::weighted_median(&mut votes), Some(median));
    }

    /// At the end of a request, both parties together have the escrowed amount.
    #[test]
    fn an_escrow_pays_out_what_it_holds(end in 0_u8..6, price in 1_u64..1_500) {
        let db = paw();
        let mut tx = begin(&db);
        let (ann, node) = (account(1), account(2));
        provider(&mut tx, &node).unwrap();
        fund(&mut tx, &ann, "15000upaw").unwrap();
        let offer = compute::ProviderUpdate { price: u(price), endpoint: "x".into(), active: true };
        compute::update(&mut tx, &node, &offer).unwrap();
        let before = has(&tx, &node, "upaw");
        let governance = governance();
        match end {
            0 => {
                let id = processing(&mut tx, at(1), &ann, &node, 1).unwrap();
                compute::fail(&mut tx, at(2), &node, id).unwrap();
            }
            1 => {
                let id = processing(&mut tx, at(1), &ann, &node, 1).unwrap();
                keyscape_paw::keeper::end_block(&mut tx, at(20_000)).unwrap();
                prop_assert!(compute::get_escrow(&tx, id).unwrap().payment == U256::ZERO);
            }
            end => {
                let id = completed(&mut tx, at(1), &ann, &node, 1).unwrap();
                if end > 3 {
                    compute::dispute(&mut tx, at(2), &ann, id).unwrap();
                    compute::resolve(&mut tx, at(3), &governance, id, end == 5).unwrap();
                } else {
                    compute::release_now(&mut tx, at(2), &governance, id).unwrap();
                }
            }
        }
        let (paid, rest) = (has(&tx, &node, "upaw") - before, has(&tx, &ann, "upaw"));
        prop_assert_eq!(paid + rest, 15_000);
        prop_assert!(paid == 0 || paid == price * 10);
        sound(&tx);
    }
}
