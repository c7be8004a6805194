//! Scores from merkle paths.

use keyscape_txo::{
    layout::txo::{Score, Txid},
    merkle_path, score,
};

/// The example of BRC-74, "BSV Unified Merkle Path (BUMP) Format"
/// (<https://bsv.brc.dev/transactions/0074>), which is in the test suites of the BSV SDKs too.
const BRC_74: &str = "fe8a6a0c000c04fde80b0011774f01d26412f0d16ea3f0447be0b5ebec67b0782e321a7a01cbdf7f734e30fde9\
     0b02004e53753e3fe4667073063a17987292cfdea278824e9888e52180581d7188d8fdea0b025e441996fc53f0\
     191d649e68a200e752fb5f39e0d5617083408fa179ddc5c998fdeb0b0102fdf405000671394f72237d08a4277f\
     4435e5b6edf7adc272f25effef27cdfe805ce71a81fdf50500262bccabec6c4af3ed00cc7a7414edea9c5efa92\
     fb8623dd6160a001450a528201fdfb020101fd7c010093b3efca9b77ddec914f8effac691ecb54e2c81d0ab81c\
     bc4c4b93befe418e8501bf01015e005881826eb6973c54003a02118fe270f03d46d02681c8bc71cd44c613e863\
     02f8012e00e07a2bb8bb75e5accff266022e1e5e6e7b4d6d943a04faadcf2ab4a22f796ff30116008120cafa17\
     309c0bb0e0ffce835286b3a2dcae48e4497ae2d2b7ced4f051507d010a00502e59ac92f46543c23006bff855d9\
     6f5e648043f0fb87a7a5949e6a9bebae430104001ccd9f8f64f4d0489b30cc815351cf425e0e78ad79a589350e\
     4341ac165dbe45010301010000af8764ce7e1cc132ab5ed2229a005c87201c9a5ee15c0f91dd53eff31ab30cd4";

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    digits.map(byte).collect()
}

#[test]
fn the_example_of_brc_74_gives_the_positions_of_its_transactions() {
    let path = bytes(BRC_74);
    let of = |txid: &str| merkle_path::position(&path, txid.parse().unwrap());
    for (txid, index) in [
        ("304e737fdfcb017a1a322e78b067ecebb5e07b44f0a36ed1f01264d2014f7711", 3_048),
        ("d888711d588021e588984e8278a2decf927298173a06737066e43f3e75534e00", 3_049),
        ("98c9c5dd79a18f40837061d5e0395ffb52e700a2689e641d19f053fc9619445e", 3_050),
    ] {
        let at = of(txid).unwrap();
        assert_eq!((at.height, at.index), (813_706, index), "{txid}");
    }
    // A node of a higher level is not a transaction.
    let node = "811ae75c80fecd27efff5ef272c2adf7edb6e535447f27a4087d23724f397106";
    assert_eq!(of(node), Err(merkle_path::BadPath::Missing(node.parse().unwrap())));
    for end in 0..path.len() {
        assert!(merkle_path::position(&path[..end], Txid([0; 32])).is_err(), "{end}");
    }
}

#[test]
fn a_merkle_path_gives_the_score() {
    // Two levels at height 813706: leaves 3048 and 3049, and a duplicate above.
    let mut path = vec![0xfe, 0x8a, 0x6a, 0x0c, 0x00, 2, 2];
    path.extend([&[0xfd, 0xe8, 0x0b, 0][..], &[1; 32], &[0xfd, 0xe9, 0x0b, 2], &[2; 32]].concat());
    path.extend([1, 0xfd, 0xf5, 0x05, 1]);
    let of = |txid| -> Score { merkle_path::score(Some(&path), txid, 77) };
    assert_eq!(of(Txid([2; 32])), score::confirmed(813_706, 3_049));
    assert_eq!(of(Txid([1; 32])), score::confirmed(813_706, 3_048));
    assert_eq!(of(Txid([3; 32])), score::seen(77));
    assert_eq!(merkle_path::score(None, Txid([2; 32]), 77), score::seen(77));
    for end in 0..path.len() {
        assert!(merkle_path::position(&path[..end], Txid([2; 32])).is_err(), "{end}");
    }
    path.push(0);
    assert!(merkle_path::position(&path, Txid([2; 32])).is_err());
}
