//! Generated types as text and as JSON, as the CLI shows them.

use serde::{Deserialize, Deserializer, Serialize, de::Visitor};
use std::collections::{BTreeSet, HashSet};

keyscape::layout!(
    r#"
store shop
type Account = len8(bytes[1..=255]) shown as bech32("cosmos")
type Level = "low" | "high"
type Amount = dec(u128)
type Ratio = f64
type Slot = {day: u16be} {hour: u8 in 0..=23}
type Owner = | user 0x01 {name: text(r"[a-z ]{1,9}")} | mint 0x02
map orders = 0x01 {account: Account} {level: Level} "/" {slot: Slot} {owner: Owner}
map prices = 0x02 {amount: Amount} "/" [{note: text(r"[a-z]{1,3}")} "/"] {tags: list(u8 in 0..=9)[1..=3]}
map tasks = 0x03 {tenant: text(r"[a-z]{1,9}")} 0x00 {task: u64be}
map users = 0x04 {tenant: text(r"[a-z]{1,9}")} 0x00 {user: text(r"[a-z]{1,9}")}
map ratios = 0x05 {ratio: Ratio}
map spans = 0x06 {ends: list(Ratio)[2]}
"#
);

use shop::{Level, OrdersKey, Owner, PricesKey, Ratio, Slot, SpansKey, TasksKey, UsersKey};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn order() -> Result<OrdersKey<'static>, Box<dyn std::error::Error>> {
    Ok(OrdersKey {
        account: "cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu".parse()?,
        level: Level::High,
        slot: "day=7 hour=23".parse()?,
        owner: "user name=\"ann b\"".parse()?,
    })
}

#[test]
fn a_key_is_one_line_and_is_read_back() -> Outcome {
    let line = "account=cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu level=high slot.day=7 \
                slot.hour=23 owner.user.name=\"ann b\"";
    let key = order()?;
    assert_eq!(key.to_string(), line);
    assert_eq!(line.parse::<OrdersKey<'_>>()?, key);
    let mint = OrdersKey { owner: Owner::Mint {}, ..key };
    assert!(mint.to_string().ends_with(" owner=mint"));
    assert_eq!(mint.to_string().parse::<OrdersKey<'_>>()?, mint);
    let price =
        PricesKey { amount: 5.into(), note: None, tags: vec![1.try_into()?, 2.try_into()?] };
    assert_eq!(price.to_string(), "amount=5 tags=[1,2]");
    assert_eq!(price.to_string().parse::<PricesKey<'_>>()?, price);
    assert_eq!(Ratio::from(1.0).to_string(), "1.0");
    assert_eq!("1".parse::<Ratio>()?, Ratio::from(1.0));
    let span = SpansKey { ends: vec![0.5.into(), 1e300.into()] };
    assert_eq!("ends=[0.5,1e300]".parse::<SpansKey>()?, span);
    for overflow in ["1e999", "-1e999"] {
        assert!(overflow.parse::<Ratio>().is_err());
        assert!(format!("ends=[0.5,{overflow}]").parse::<SpansKey>().is_err());
    }
    Ok(())
}

#[test]
fn json_is_that_of_the_cli() -> Outcome {
    let json = concat!(
        r#"{"account":"cosmos1qypqxpq9qcrsszg2pvxq6rs0zqg3yyc5lzv7xu","level":"high","#,
        r#""slot":{"day":7,"hour":23},"owner":{"user":{"name":"ann b"}}}"#
    );
    let key = order()?;
    assert_eq!(serde_json::to_string(&key)?, json);
    assert_eq!(serde_json::from_str::<OrdersKey<'_>>(json)?, key);
    let large = PricesKey {
        amount: (1 << 54).into(),
        note: Some("eur".try_into()?),
        tags: vec![1.try_into()?],
    };
    let json = r#"{"amount":"18014398509481984","note":"eur","tags":[1]}"#;
    assert_eq!(serde_json::to_string(&large)?, json);
    assert_eq!(serde_json::from_str::<PricesKey<'_>>(json)?, large);
    // A type of the program that contains generated types.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Event {
        slot: Slot,
        level: Level,
        task: TasksKey<'static>,
    }
    let task = TasksKey { tenant: "acme".try_into()?, task: 7 };
    let event = Event { slot: key.slot, level: Level::Low, task };
    let json = r#"{"slot":{"day":7,"hour":23},"level":"low","task":{"tenant":"acme","task":7}}"#;
    assert_eq!(serde_json::to_string(&event)?, json);
    assert_eq!(serde_json::from_str::<Event>(json)?, event);
    Ok(())
}

/// A text in a format that is not for people.
struct Compact(String);

impl<'de> Deserializer<'de> for Compact {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_string(self.0)
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

#[test]
fn other_formats_contain_the_text_of_display() -> Outcome {
    let key = order()?;
    assert_eq!(OrdersKey::deserialize(Compact(key.to_string()))?, key);
    let Owner::User { name } = key.owner else { return Err("another owner".into()) };
    assert_eq!(shop::OwnerUserName::deserialize(Compact(name.to_string()))?, name);
    assert_eq!(Level::deserialize(Compact(Level::Low.to_string()))?, Level::Low);
    Ok(())
}

#[test]
fn errors_name_the_field() {
    let cases = [
        ("tenant=acme", "tasks.task: expected a value: the field is missing"),
        ("tenant=Acme task=1", "tasks.tenant: `A` at position 1 is not allowed; expected "),
        ("tenant=acme task=x", "tasks.task: expected an integer from 0 to 18446744073709551615"),
        ("tenant=a task=1 due=2", "tasks: expected only the fields `tenant`, `task`, not `due`"),
        ("tenant=a task=1 task=2", "tasks: expected fields as `name=value`, separated by spaces"),
        ("tenant", "tasks: expected an object with fields"),
        ("tenant=\"a", "tasks: expected fields as `name=value`, separated by spaces"),
        ("tenant=a task=+1", "tasks.task: expected an integer"),
    ];
    for (line, expected) in cases {
        let error = line.parse::<TasksKey<'_>>().unwrap_err().to_string();
        assert!(error.starts_with(expected), "{line}: {error}");
    }
    let wrong = [
        (r#"{"tenant":"acme","task":1.5}"#, "tasks.task: expected an integer"),
        (r#"{"tenant":7,"task":1}"#, "tasks.tenant: expected "),
        (r#"{"tenant":"a","tenant":"b","task":1}"#, "tasks: expected the field `tenant` only once"),
        (r#"[]"#, "tasks: expected an object with fields"),
    ];
    for (json, expected) in wrong {
        let error = serde_json::from_str::<TasksKey<'_>>(json).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{json}: {error}");
    }
    let error = serde_json::from_str::<Owner<'_>>(r#"{"nobody":{}}"#).unwrap_err().to_string();
    assert_eq!(
        error,
        "Owner: expected an object with the name of one arm: `user`, `mint`, not `nobody`"
    );
    let error = serde_json::from_str::<Slot>(r#"{"day":1,"hour":24}"#).unwrap_err().to_string();
    assert!(error.starts_with("Slot.hour: expected"), "{error}");
}

#[test]
fn equal_inline_domains_share_one_type() -> Outcome {
    let task = TasksKey { tenant: "acme".try_into()?, task: 7 };
    let user = UsersKey { tenant: task.tenant.by_ref(), user: task.tenant.clone() };
    assert_eq!(user.user, task.tenant);
    let alias: shop::UsersUser<'_> = task.tenant;
    assert_eq!(alias.as_str(), "acme");
    Ok(())
}

#[test]
fn borrowed_keys_become_owned_and_have_an_order_and_a_hash() -> Outcome {
    let owned: UsersKey<'static> = {
        let name = "ann".to_owned();
        let borrowed =
            UsersKey { tenant: name.as_str().try_into()?, user: name.as_str().try_into()? };
        borrowed.into_owned()
    };
    assert!(BTreeSet::from([owned.clone()]).contains(&owned));
    assert!(HashSet::from([owned.clone()]).contains(&owned));
    assert_eq!(order()?.owner.into_owned(), Owner::User { name: "ann b".try_into()? });
    Ok(())
}
