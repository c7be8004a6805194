//! Opens databases.

use crate::{Options, Postgres};
use keyscape_store::{Db, Layout, LayoutError, Spaces, StoreError};

keyscape_store_remote::openers!(
    Postgres,
    "keyscape_store_postgres",
    "postgres://user@localhost/shop"
);
