//! Protobuf messages by their fields.

use keyscape_inspect::{
    database::{Reader, Stored},
    message::{from_json, to_json},
};
use keyscape_layout::{Descriptor, Layout, Loader, model::RowValue, read};
use prost_reflect::{
    prost::Message as _,
    prost_types::{
        DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet,
        MessageOptions,
        field_descriptor_proto::{Label, Type},
    },
};

fn field(name: &str, number: i32, label: Label, kind: Type) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        label: Some(label.into()),
        r#type: Some(kind.into()),
        ..FieldDescriptorProto::default()
    }
}

/// Loads the descriptor of `Order`, with the fields `uint64 amount = 1`, `repeated string lines =
/// 2` and `map<string, uint64> tax = 3`.
struct Descriptors;

impl Loader for Descriptors {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, Vec<u8>), String> {
        let entry = DescriptorProto {
            name: Some("TaxEntry".to_owned()),
            field: vec![
                field("key", 1, Label::Optional, Type::String),
                field("value", 2, Label::Optional, Type::Uint64),
            ],
            options: Some(MessageOptions { map_entry: Some(true), ..MessageOptions::default() }),
            ..DescriptorProto::default()
        };
        let tax = FieldDescriptorProto {
            type_name: Some(".shop.v1.Order.TaxEntry".to_owned()),
            ..field("tax", 3, Label::Repeated, Type::Message)
        };
        let order = DescriptorProto {
            name: Some("Order".to_owned()),
            field: vec![
                field("amount", 1, Label::Optional, Type::Uint64),
                field("lines", 2, Label::Repeated, Type::String),
                tax,
            ],
            nested_type: vec![entry],
            ..DescriptorProto::default()
        };
        let file = FileDescriptorProto {
            name: Some("shop.proto".to_owned()),
            package: Some("shop.v1".to_owned()),
            message_type: vec![order],
            syntax: Some("proto3".to_owned()),
            ..FileDescriptorProto::default()
        };
        Ok((path.to_owned(), FileDescriptorSet { file: vec![file] }.encode_to_vec()))
    }
}

/// Returns a layout whose only value is an `Order`.
fn layout() -> Layout {
    let text = "import \"shop.binpb\"\nstore s\nmap orders = {id: u8} -> proto Order\n";
    let layout = read("s.keys", text, &mut Descriptors);
    let Ok(layout) = layout else { panic!("{layout:?}") };
    layout
}

/// Returns the form of the value of a layout, and its descriptor.
fn form(layout: &Layout) -> (Option<&RowValue>, &Descriptor) {
    let form = layout.keyspaces[0].value.as_ref();
    match form {
        Some(RowValue::Proto(message)) => (form, message.descriptor.as_deref().unwrap()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_is_shown_by_its_fields_and_encoded_again() {
    let layout = layout();
    let (form, order) = form(&layout);
    let json = r#"{"amount":"7","lines":["ink","a \"b\""],"tax":{"de":"19"}}"#;
    let bytes = from_json(order, json).unwrap();
    assert_eq!(to_json(form, &bytes).as_deref(), Some(json));
    assert_eq!(to_json(form, b"").as_deref(), Some("{}"));
    assert_eq!(from_json(order, r#"{"amount": 7}"#).unwrap(), [0x08, 7]);
}

#[test]
fn a_message_that_json_would_change_is_shown_as_bytes() {
    let layout = layout();
    let (form, order) = form(&layout);
    let reader = Reader::new(&layout).unwrap();
    let id = layout.find("orders")[0];
    let two_taxes = from_json(order, r#"{"tax":{"de":"19","fr":"20"}}"#).unwrap();
    let unusual: [&[u8]; 4] = [
        // An unknown field, a default that is encoded, a long varint, two map entries.
        &[0x20, 1],
        &[0x08, 0],
        &[0x08, 0x87, 0],
        &two_taxes,
    ];
    for bytes in unusual {
        assert_eq!(to_json(form, bytes), None, "{bytes:?}");
        assert!(matches!(reader.stored(id, bytes), Stored::Value(_)), "{bytes:?}");
    }
    assert!(matches!(reader.stored(id, &[0x08]), Stored::Raw(_)), "not a message");
}

#[test]
fn wrong_json_is_an_error_that_names_the_message() {
    let layout = layout();
    let (_, order) = form(&layout);
    for json in [r#"{"amout":1}"#, r#"{"amount":"x"}"#, "{}{}", "", "[]"] {
        let error = from_json(order, json).unwrap_err().to_string();
        assert!(error.starts_with("the value is not a message `shop.v1.Order`: "), "{error}");
    }
    let broken = Descriptor { full_name: "shop.v1.Note".to_owned(), ..order.clone() };
    let error = from_json(&broken, "{}").unwrap_err().to_string();
    assert_eq!(error, "the descriptor set of `shop.v1.Note` lacks a file that it imports");
}
