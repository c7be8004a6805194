keyscape::layout!("shop.keys"); // does not compile until the layout is proved

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let db = keyscape_store_redb::open_or_create("shop.redb", &shop::LAYOUT)?;
    let order = shop::ORDERS.prefix_user(1).count(&db.read()?)? + 1;
    // All or nothing, and on disk when it returns.
    db.write(|tx| shop::ORDERS.put(tx, (1, order), "ink"))?;
    for row in shop::ORDERS.scan_user(&db.read()?, 1)? {
        println!("{:?}", row?);
    }
    Ok(())
}
