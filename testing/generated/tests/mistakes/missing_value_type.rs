//~ 3 E0412 E0425
// The type of the row values is not in scope.
keyscape::layout!(r#"
store shop
map orders = "o/" {order: u64be} -> Order
"#);

fn main() {}
