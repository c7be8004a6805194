//! What all handles have in common: they are constants without contents.

use crate::{Hash, HashFieldOf, Index, Item, Keyspace, Map, Queue, Sequence, Set, Zset};
use std::{fmt, marker::PhantomData};

macro_rules! handles {
    ($($handle:ident),*) => {$(
        impl<K> $handle<K> {
            /// The handle. Generated code has it as a constant.
            #[must_use]
            pub const fn new() -> Self {
                Self(PhantomData)
            }
        }

        impl<K> Default for $handle<K> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<K> Clone for $handle<K> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<K> Copy for $handle<K> {}

        impl<K: Keyspace> fmt::Debug for $handle<K> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($handle), "({}/{})"), K::SPACE, K::NAME)
            }
        }
    )*};
}

handles!(Hash, HashFieldOf, Index, Item, Map, Queue, Sequence, Set, Zset);
