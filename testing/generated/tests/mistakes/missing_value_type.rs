//~ 3 E0412 E0425
// What a row holds is not in scope.
keyscape::layout!(r#"
store shop
map orders = "o/" {order: u64be} -> Order
"#);

fn main() {}
