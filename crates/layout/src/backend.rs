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
    Backend {
        name: "cockroachdb",
        longest_key: 100_000,
        empty_key: true,
        has_structures: false,
        because: "the engine of Keyscape accepts keys of at most 100,000 bytes",
    },
    Backend {
        name: "etcd",
        longest_key: 1_572_864,
        empty_key: false,
        has_structures: false,
        because: "a request has at most 1.5 MiB unless the server is configured otherwise",
    },
    Backend {
        name: "foundationdb",
        longest_key: 10_000,
        empty_key: true,
        has_structures: false,
        because: "a key has at most 10,000 bytes",
    },
    Backend {
        name: "leveldb",
        longest_key: 4_294_967_287,
        empty_key: true,
        because: "the length of a key and its 8 bytes of sequence is a number of 32 bits",
        has_structures: false,
    },
    Backend {
        name: "lmdb",
        longest_key: 511,
        empty_key: false,
        has_structures: false,
        because: "a key has at most 511 bytes unless LMDB is compiled otherwise",
    },
    Backend {
        name: "postgresql",
        longest_key: 2_692,
        empty_key: true,
        has_structures: false,
        because: "a row of a B-tree index has at most 2,704 bytes, 12 of them headers",
    },
    Backend {
        name: "redb",
        longest_key: 805_306_368,
        empty_key: true,
        has_structures: false,
        because: "a key and a value of 3 GiB together have at most 3.75 GiB",
    },
    Backend {
        name: "redis",
        longest_key: 536_870_912,
        empty_key: true,
        has_structures: true,
        because: "a string has at most 512 MiB",
    },
    Backend {
        name: "rocksdb",
        longest_key: 8_388_608,
        empty_key: true,
        has_structures: false,
        because: "keys above 8 MiB are not supported in practice",
    },
    Backend {
        name: "tikv",
        longest_key: 3_400,
        empty_key: true,
        has_structures: false,
        because: "the engine of Keyscape accepts keys of at most 3,400 bytes",
    },
];

impl Backend {
    /// Returns the backend with a name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        BACKENDS.iter().find(|backend| backend.name == name)
    }
}
