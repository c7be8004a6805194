//! Records and the paths in them.

use keyscape_layout::{Datum, Record};

#[test]
fn paths_reach_into_composites() {
    let datum = |name: &str| Datum::Name(name.to_owned());
    let mut record = Record::default();
    for (path, value) in [("a", "1"), ("b.c", "2"), ("b.d.e", "3"), ("b.c", "4")] {
        record.set_path(&path.split('.').collect::<Vec<_>>(), datum(value));
    }
    assert_eq!(record.get_path(&["b", "c"]), Some(&datum("4")));
    assert_eq!(record.select([vec!["a"], vec!["b"]]), record);
    let part = record.select([vec!["b", "d", "e"], vec!["b", "x"], vec!["x"]]);
    assert_eq!(part.get_path(&["b", "d", "e"]), Some(&datum("3")));
    assert_eq!((part.0.len(), part.get_path(&["b", "c"])), (1, None));
}
