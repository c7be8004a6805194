//! The functions that open databases of a server.

/// Defines the functions of an engine that open databases, with spaces or with layouts. `Options`
/// of the calling crate must have the methods `exists`, `create` and `open_with_mode`. The
/// arguments are the database type, the name of the crate, and an address for examples.
#[macro_export]
macro_rules! openers {
    ($database:ty, $crate_name:literal, $address:literal) => {
        impl Options {
            /// Opens a database for reading and writing. Adds new spaces.
            ///
            /// # Errors
            /// If the database does not exist, and errors of the server.
            pub fn open(&self, address: &str, spaces: Spaces) -> Result<$database, StoreError> {
                self.open_with_mode(address, spaces, false)
            }

            /// Opens a database for reading.
            ///
            /// # Errors
            /// As [`Options::open`].
            pub fn open_read_only(
                &self,
                address: &str,
                spaces: Spaces,
            ) -> Result<$database, StoreError> {
                self.open_with_mode(address, spaces, true)
            }
        }

        /// Creates a database for a layout.
        ///
        /// ```no_run
        /// use keyscape_store::Layout;
        ///
        /// const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
        #[doc = concat!("let db = ", $crate_name, "::create(\"", $address, "\", &SHOP)?;")]
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        ///
        /// # Errors
        /// As [`Options::create`].
        pub fn create(address: &str, layout: &Layout<'_>) -> Result<Db, LayoutError> {
            create_with(address, &[layout], &Options::new())
        }

        /// Creates a database for several layouts.
        ///
        /// # Errors
        /// As [`create`].
        pub fn create_with(
            address: &str,
            layouts: &[&Layout<'_>],
            options: &Options,
        ) -> Result<Db, LayoutError> {
            let db = Db::new(options.create(address, Layout::spaces_of(layouts)?)?);
            db.admit(layouts)?;
            Ok(db)
        }

        /// Opens a database for reading and writing. The layout must match the one that the
        /// database was written with; it may add keyspaces.
        ///
        /// ```no_run
        /// use keyscape_store::Layout;
        ///
        /// const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
        #[doc = concat!("let db = ", $crate_name, "::open(\"", $address, "\", &SHOP)?;")]
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        ///
        /// # Errors
        /// As [`Options::open`] and [`Db::admit`].
        pub fn open(address: &str, layout: &Layout<'_>) -> Result<Db, LayoutError> {
            open_with(address, &[layout], &Options::new())
        }

        /// Opens a database with several layouts. [`Options::admission`] adds stores and builds
        /// indexes.
        ///
        /// # Errors
        /// As [`open`].
        pub fn open_with(
            address: &str,
            layouts: &[&Layout<'_>],
            options: &Options,
        ) -> Result<Db, LayoutError> {
            let db = Db::new(options.open(address, Layout::spaces_of(layouts)?)?);
            db.admit_with(layouts, options.admission)?;
            Ok(db)
        }

        /// Opens a database, or creates it if it does not exist.
        ///
        /// ```no_run
        /// use keyscape_store::Layout;
        ///
        /// const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
        #[doc = concat!("let db = ", $crate_name, "::open_or_create(\"", $address, "\", &SHOP)?;")]
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        ///
        /// # Errors
        /// As [`open`] and [`create`].
        pub fn open_or_create(address: &str, layout: &Layout<'_>) -> Result<Db, LayoutError> {
            open_or_create_with(address, &[layout], &Options::new())
        }

        /// Opens or creates a database with several layouts.
        ///
        /// # Errors
        /// As [`open_or_create`].
        pub fn open_or_create_with(
            address: &str,
            layouts: &[&Layout<'_>],
            options: &Options,
        ) -> Result<Db, LayoutError> {
            if options.exists(address)? {
                return open_with(address, layouts, options);
            }
            match create_with(address, layouts, options) {
                // Another program created the database in the meantime.
                Err(_) if options.exists(address)? => open_with(address, layouts, options),
                created => created,
            }
        }

        /// Opens a database for reading.
        ///
        /// # Errors
        /// As [`Options::open_read_only`] and [`Db::admit`].
        pub fn open_read_only(address: &str, layout: &Layout<'_>) -> Result<Db, LayoutError> {
            open_read_only_with(address, &[layout], &Options::new())
        }

        /// Opens a database for reading with several layouts.
        ///
        /// # Errors
        /// As [`open_read_only`].
        pub fn open_read_only_with(
            address: &str,
            layouts: &[&Layout<'_>],
            options: &Options,
        ) -> Result<Db, LayoutError> {
            let db = Db::new(options.open_read_only(address, Layout::spaces_of(layouts)?)?);
            db.admit_with(layouts, options.admission)?;
            Ok(db)
        }

        /// Opens a database that was written without a layout: passes every row to `check`, and
        /// stores the layouts if every row fits.
        ///
        /// # Errors
        /// As [`Options::open`] and [`Db::adopt`].
        pub fn adopt<R: std::fmt::Display>(
            address: &str,
            layouts: &[&Layout<'_>],
            options: &Options,
            check: impl FnMut(&str, &[u8], &[u8]) -> Result<(), R>,
        ) -> Result<Db, LayoutError> {
            let db = Db::new(options.open(address, Layout::spaces_of(layouts)?)?);
            db.adopt(layouts, check)?;
            Ok(db)
        }
    };
}
