//! The key limits of common backends.

/// The limits of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backend {
    /// The name of the backend in layouts.
    pub name: &'static str,
    /// The highest length of a key in bytes.
    pub longest_key: usize,
    /// Whether a key may be empty.
    pub empty_key: bool,
    /// Whether the backend has structures of its own. Then the limits apply to the keys of
    /// structures. On other backends, a structure consists of records, to which the limits apply.
    pub has_structures: bool,
    /// The origin of the limit.
    pub because: &'static str,
}

/// All backends with known limits.
pub const BACKENDS: &[Backend] = &[
    Backend::new(
        "cockroachdb",
        100_000,
        "the engine of Keyscape accepts keys of at most 100,000 bytes",
    ),
    Backend {
        empty_key: false,
        ..Backend::new(
            "etcd",
            1_572_864,
            "a request has at most 1.5 MiB unless the server is configured otherwise",
        )
    },
    Backend::new("foundationdb", 10_000, "a key has at most 10,000 bytes"),
    Backend::new(
        "leveldb",
        4_294_967_287,
        "the length of a key and its 8 bytes of sequence is a number of 32 bits",
    ),
    Backend {
        empty_key: false,
        ..Backend::new("lmdb", 511, "a key has at most 511 bytes unless LMDB is compiled otherwise")
    },
    Backend::new(
        "postgresql",
        2_692,
        "a row of a B-tree index has at most 2,704 bytes, 12 of them headers",
    ),
    Backend::new("redb", 805_306_368, "a key and a value of 3 GiB together have at most 3.75 GiB"),
    Backend {
        has_structures: true,
        ..Backend::new("redis", 536_870_912, "a string has at most 512 MiB")
    },
    Backend::new("rocksdb", 8_388_608, "keys above 8 MiB are not supported in practice"),
    Backend::new("tikv", 3_400, "the engine of Keyscape accepts keys of at most 3,400 bytes"),
];

impl Backend {
    /// Creates a backend with empty keys and without structures of its own.
    const fn new(name: &'static str, longest_key: usize, because: &'static str) -> Self {
        Self { name, longest_key, because, empty_key: true, has_structures: false }
    }

    /// Returns the backend with a name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        BACKENDS.iter().find(|backend| backend.name == name)
    }
}
