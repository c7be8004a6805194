// A file that does not exist.
keyscape::layout!("no/such/layout.keys");

fn main() {}
