//! The keys of the module against vectors of the origin.

use crate::setup::Outcome;
use keyscape::traits::Keyspace;
use keyscape_badges::{
    Address, Id, Kind, Level, Owner, Party,
    layout::badges::{
        Approval, ApprovalTrackers, ApprovalTrackersKey, ApprovalVersions, ApprovalVersionsKey,
        Balances, ChallengeTrackers, ChallengeTrackersKey, Tracker,
    },
};

fn key<K: Keyspace>(key: &K::Key<'_>) -> String {
    let mut bytes = Vec::new();
    K::encode(key, &mut bytes).expect("a key");
    assert!(K::decode(&bytes).is_ok());
    String::from_utf8(bytes[1..].to_vec()).expect("text after the prefix")
}

/// The parts of a key are joined as in BitBadges. The addresses are those of its vectors.
#[test]
fn keys_are_joined_as_in_the_origin() -> Outcome {
    let ann: Address<'_> = "bb1n88uc38xhjgxzw9nwre4ep2c8ga4fjxc77jg00".parse()?;
    let one = Id(1_u64.into());
    let balance = key::<Balances>(&(one, Owner::User { address: ann.clone() }).into());
    assert_eq!(balance, "1-bb1n88uc38xhjgxzw9nwre4ep2c8ga4fjxc77jg00");
    assert_eq!(key::<Balances>(&(one, Owner::Total).into()), "1-Total");
    let tracker = |level, approver, kind, address| {
        key::<ApprovalTrackers>(&ApprovalTrackersKey {
            collection: one,
            approver,
            approval: Approval::new("appr").unwrap(),
            tracker: Tracker::new("uses").unwrap(),
            level,
            kind,
            address,
        })
    };
    assert_eq!(
        tracker(Level::Collection, None, Kind::Overall, None),
        "1--appr-uses-collection-overall-"
    );
    assert_eq!(
        tracker(Level::Collection, None, Kind::FromType, Some(Party::Mint)),
        "1--appr-uses-collection-from-Mint"
    );
    let to = Some(Party::User { address: ann.clone() });
    assert_eq!(
        tracker(Level::Incoming, Some(ann.clone()), Kind::To, to),
        format!("1-{ann}-appr-uses-incoming-to-{ann}")
    );
    let leaf = key::<ChallengeTrackers>(&ChallengeTrackersKey {
        collection: one,
        approver: None,
        level: Level::Collection,
        approval: Approval::new("appr")?,
        challenge: Tracker::new("merkle")?,
        leaf: Id(7_u64.into()),
    });
    assert_eq!(leaf, "1--collection-appr-merkle-7");
    let version = key::<ApprovalVersions>(&ApprovalVersionsKey {
        collection: one,
        level: Level::Outgoing,
        approver: Some(ann.clone()),
        approval: Approval::new("appr")?,
    });
    assert_eq!(version, format!("1-outgoing-{ann}-appr"));
    Ok(())
}
