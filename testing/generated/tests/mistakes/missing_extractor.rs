//~ 9 E0277
//~ says write `impl shop::ByTicketFields for Order { fn ticket(&self) -> keyscape::Extracted<u64> { … } }`
// The value does not implement the extractor of the index.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Order {
    pub ticket: u64,
}

keyscape::layout!(r#"
store shop
map orders = "o/" {order: u64be} -> json Order
index by_ticket of orders = "t/" {ticket: u64be from value} {order} -> empty
"#);

fn main() {}
