// A file that is not there.
keyscape::layout!("no/such/layout.keys");

fn main() {}
