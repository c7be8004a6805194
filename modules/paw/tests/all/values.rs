//! The bytes of values: canonical protobuf.

use crate::setup::{Outcome, account, params, token, u};
use keyscape::ValueForm;
use keyscape_paw::values::{
    DexParams, Escrow, EscrowState, OracleParams, PacketState, PriceVote, Provider, Vote,
};

fn bytes<T: for<'v> ValueForm<Input<'v> = &'v T>>(value: &T) -> Vec<u8> {
    let mut out = Vec::new();
    T::encode(value, &mut out).expect("a message has no domain");
    out
}

#[test]
fn messages_are_protobuf_with_amounts_as_text() -> Outcome {
    let escrow =
        Escrow { amount: u(300), payment: u(0), state: EscrowState::Disputed, expires: 300 };
    let expected = [b"\x0a\x03300".as_slice(), b"\x12\x010", b"\x18\x05", b"\x20\xac\x02"].concat();
    assert_eq!(bytes(&escrow), expected);
    let vote = Vote { period: 1, prices: vec![PriceVote { asset: token("BTC"), price: u(7) }] };
    assert_eq!(bytes(&vote), b"\x08\x01\x12\x08\x0a\x03BTC\x12\x017");
    assert_eq!(Vote::decode(&bytes(&vote))?, vote);
    let none = Vote { period: u64::MAX, prices: Vec::new() };
    assert_eq!(Vote::decode(&bytes(&none))?, none);
    Ok(())
}

#[test]
fn every_parameter_is_read_back() -> Outcome {
    let params = params();
    assert_eq!(DexParams::decode(&bytes(&params.dex))?, params.dex);
    assert_eq!(OracleParams::decode(&bytes(&params.oracle))?, params.oracle);
    let provider = Provider {
        stake: keyscape::U256::MAX,
        price: u(1),
        reputation: 0,
        active: true,
        open_jobs: 0,
        nonce_floor: u64::MAX,
        endpoint: "é".to_owned(),
    };
    assert_eq!(Provider::decode(&bytes(&provider))?, provider);
    assert!(account(1) < account(2));
    Ok(())
}

/// Bytes in any other than the canonical form are corrupt.
#[test]
fn other_spellings_are_not_read() {
    let good = bytes(&PacketState { nonce: 300, seen: 0 });
    assert_eq!(good, b"\x08\xac\x02\x10\x00");
    let bad: [&[u8]; 10] = [
        b"",
        b"\x08\xac\x02",
        b"\x08\xac",
        b"\x10\x00\x08\xac\x02",
        b"\x08\xac\x02\x10\x00\x10\x00",
        b"\x08\xac\x82\x00\x10\x00",
        b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x10\x00",
        b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x00",
        b"\x0a\x01\x31\x10\x00",
        b"\x08\xac\x02\x10\x00\x1a",
    ];
    for bytes in bad {
        assert!(PacketState::decode(bytes).is_err(), "{bytes:02x?}");
    }
    let state = [b"\x0a\x011".as_slice(), b"\x12\x010", b"\x18\x06", b"\x20\x00"].concat();
    assert!(Escrow::decode(&state).is_err(), "there is no state 6");
    let zero = [b"\x0a\x0201".as_slice(), b"\x12\x010", b"\x18\x01", b"\x20\x00"].concat();
    assert!(Escrow::decode(&zero).is_err(), "an amount has no leading zero");
}
