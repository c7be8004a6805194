//~ 10 E0599
// Bounds need an order, which only `by` claims.
keyscape::layout!(r#"
store shop
map orders = "o/" {user: u64be} {order: u64be} -> text
    scan user
"#);

fn main() {
    let _ = shop::ORDERS.prefix_user(7).range(1..2);
}
