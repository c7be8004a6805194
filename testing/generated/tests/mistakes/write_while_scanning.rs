//~ 12 E0502
// A scan borrows the transaction.
keyscape::layout!(r#"
store shop
map orders = "o/" {user: u64be} {order: u64be} -> text
    scan user
"#);

fn clear(tx: &mut keyscape::store::Tx<'_>) -> Result<(), keyscape::Error> {
    let mut scan = shop::ORDERS.scan_user(tx, 7)?;
    while let Some(row) = scan.next_row()? {
        shop::ORDERS.delete(tx, (row.key.user, row.key.order))?;
    }
    Ok(())
}

fn main() {}
