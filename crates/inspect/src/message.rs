//! Protobuf messages by their fields, if the layout imports their descriptors.
//!
//! The form is the JSON of protobuf with the field names of the `.proto` file. A message is shown
//! by its fields only if that JSON is encoded to the same bytes again, so a copy through JSON is
//! exact. Other messages are shown as bytes: those with unknown fields, with several entries in a
//! map, or in an unusual encoding.

use crate::input::InputError;
use keyscape_layout::{Descriptor, Message, model::RowValue};
use prost_reflect::{
    DescriptorPool, DeserializeOptions, DynamicMessage, MessageDescriptor, SerializeOptions, Value,
    prost::Message as _,
};
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of descriptor sets in the cache.
const MAX_POOLS: usize = 16;

/// A descriptor set, and its messages. `None` if the set cannot be used.
type Parsed = (Arc<[u8]>, Option<DescriptorPool>);

/// The parsed descriptor sets, the most recent last.
static POOLS: Mutex<Vec<Parsed>> = Mutex::new(Vec::new());

/// Returns the descriptor of a message. `None` if its descriptor set lacks an imported file.
fn descriptor(message: &Descriptor) -> Option<MessageDescriptor> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let cached = pools.iter().position(|(set, _)| Arc::ptr_eq(set, &message.set));
    let index = cached.unwrap_or_else(|| {
        if pools.len() == MAX_POOLS {
            pools.remove(0);
        }
        pools.push((Arc::clone(&message.set), parse(&message.set)));
        pools.len() - 1
    });
    let (_, pool) = pools.get(index)?;
    pool.as_ref()?.get_message_by_name(&message.full_name)
}

/// Parses a descriptor set. The files of protobuf itself need not be in it.
fn parse(set: &[u8]) -> Option<DescriptorPool> {
    if let Ok(pool) = DescriptorPool::decode(set) {
        return Some(pool);
    }
    let mut pool = DescriptorPool::global();
    pool.decode_file_descriptor_set(set).ok()?;
    Some(pool)
}

/// Whether bytes are a message, as far as the layout describes it.
pub(crate) fn is_message(message: &Message, bytes: &[u8]) -> bool {
    let described = message.descriptor.as_deref().and_then(descriptor);
    described.is_none_or(|descriptor| DynamicMessage::decode(descriptor, bytes).is_ok())
}

/// Returns the fields of a value as JSON in one line. `None` if the value is shown as bytes.
pub fn to_json(form: Option<&RowValue>, bytes: &[u8]) -> Option<String> {
    let Some(RowValue::Proto(Message { descriptor: Some(described), .. })) = form else {
        return None;
    };
    let decoded = DynamicMessage::decode(descriptor(described)?, bytes).ok()?;
    if has_wide_map(&decoded) {
        return None;
    }
    let options = SerializeOptions::new().use_proto_field_name(true);
    let mut json = serde_json::Serializer::new(Vec::new());
    decoded.serialize_with_options(&mut json, &options).ok()?;
    let json = String::from_utf8(json.into_inner()).ok()?;
    (from_json(described, &json).ok()? == bytes).then_some(json)
}

/// Whether a map has several entries. JSON does not preserve their order.
fn has_wide_map(message: &DynamicMessage) -> bool {
    fn is_wide(value: &Value) -> bool {
        match value {
            Value::Map(map) => map.len() > 1 || map.values().any(is_wide),
            Value::List(elements) => elements.iter().any(is_wide),
            Value::Message(message) => has_wide_map(message),
            _ => false,
        }
    }
    message.fields().any(|(_, value)| is_wide(value))
}

/// Encodes a message from the JSON of its fields.
///
/// # Errors
/// If the JSON does not describe the message, or its descriptor set is incomplete.
pub fn from_json(message: &Descriptor, json: &str) -> Result<Vec<u8>, InputError> {
    let name = &message.full_name;
    let failed = |error: serde_json::Error| {
        let help = "write the fields as JSON with their names in the `.proto` file";
        InputError::new(format!("the value is not a message `{name}`: {error}"), help)
    };
    let descriptor = descriptor(message).ok_or_else(|| {
        InputError::new(
            format!("the descriptor set of `{name}` lacks a file that it imports"),
            "write the set with its imports: `protoc --include_imports`, or `buf build`",
        )
    })?;
    let mut input = serde_json::Deserializer::from_str(json);
    let options = DeserializeOptions::new();
    let decoded = DynamicMessage::deserialize_with_options(descriptor, &mut input, &options)
        .and_then(|decoded| input.end().map(|()| decoded))
        .map_err(failed)?;
    Ok(decoded.encode_to_vec())
}
