//~ 10 E0277
// A prefix is not a key.
keyscape::layout!(r#"
store shop
map orders = "o/" {user: u64be} {order: u64be} -> text
    scan user
"#);

fn read(state: &keyscape::store::Snapshot<'_>) {
    let _ = shop::ORDERS.get(state, shop::ORDERS.prefix_user(7));
}

fn main() {}
