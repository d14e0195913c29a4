//! The types of both APIs. Each method is written once here, as a future; the blocking API waits for
//! it, and that of tokio gives it to the program.

/// Declares methods for the blocking type and for tokio's of the same name.
macro_rules! both {
    ($([$($generics:tt)*] $type:ident [$($arguments:tt)*] {
        $(
            $(#[$attribute:meta])*
            fn $name:ident(&$self:ident $(, $argument:ident: $kind:ty)* $(,)?) -> $result:ty
                = $future:expr;
        )*
    })*) => { $(
        impl<$($generics)*> $crate::blocking::$type<$($arguments)*> {
            $(
                $(#[$attribute])*
                pub fn $name(&$self $(, $argument: $kind)*) -> $crate::Result<$result> {
                    $crate::runtime::now($future)
                }
            )*
        }

        #[cfg(feature = "tokio")]
        impl<$($generics)*> $crate::tokio::$type<$($arguments)*> {
            $(
                $(#[$attribute])*
                pub async fn $name(&$self $(, $argument: $kind)*) -> $crate::Result<$result> {
                    $future.await
                }
            )*
        }
    )* };
}

/// Declares the types of one API.
macro_rules! types {
    ($mode:expr) => {
        use std::fmt;
        use std::sync::Arc;

        use crate::call::{Call, Calls, ReturningCalls, When};
        use crate::core::Core;
        use crate::draft::TableSpec;
        use crate::pipeline::{Batch, Handle};
        use crate::range::{Pages, Range};
        use crate::session::Session;
        use crate::target::Target;
        use crate::{FromRow, Options, Result, Row};

        /// A pool of connections to each place: the read port, the write port, each replica. It is safe
        /// for threads; its clones are the same client. Nothing is opened before it is needed.
        #[derive(Debug, Clone)]
        pub struct Client {
            pub(crate) core: Arc<Core>,
        }

        impl Client {
            /// A client for a URL; see [`Options::from_url`].
            pub fn connect(url: &str) -> Result<Self> {
                Client::open(Options::from_url(url)?)
            }

            /// A client for `HS_URL` or the option file; see [`Options::from_env`].
            pub fn from_env() -> Result<Self> {
                Client::open(Options::from_env()?)
            }

            /// A client for options.
            pub fn open(options: Options) -> Result<Self> {
                Ok(Client { core: Core::open($mode, options)? })
            }

            /// Closes the connections that are not in use now, and the others when their call ends.
            pub fn close(&self) {
                self.core.close();
            }

            pub(crate) fn target(&self) -> Target {
                Target::Client(Arc::clone(&self.core))
            }

            /// A table by its name: `database.table`, or `table` when the client has a database. A wrong
            /// name is the error of each call.
            pub fn table(&self, name: &str) -> Table {
                Table::new(self.target(), name)
            }

            /// An empty pipeline.
            pub fn pipeline(&self) -> Pipeline {
                Pipeline(Batch::new(self.target()))
            }
        }

        /// A table, some of its columns and one of its indexes. It is cheap and does not change. Its rows
        /// are read as `R`.
        pub struct Table<R = Row> {
            pub(crate) target: Target,
            pub(crate) calls: Calls<R>,
        }

        impl<R> Clone for Table<R> {
            fn clone(&self) -> Self {
                Table { target: self.target.clone(), calls: self.calls.clone() }
            }
        }

        impl<R> fmt::Debug for Table<R> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple("Table").field(&self.calls.table().name).finish()
            }
        }

        impl Table {
            fn new(target: Target, name: &str) -> Self {
                let spec = TableSpec::new(name, target.core().options.database.as_deref());
                Table { target, calls: Calls::new(Arc::new(spec)) }
            }
        }

        impl<R> Table<R> {
            /// The columns that reads give. Without them they give all.
            #[must_use]
            pub fn columns<C: Into<String>>(mut self, names: impl IntoIterator<Item = C>) -> Self {
                let names = names.into_iter().map(Into::into).collect();
                self.calls.table_mut().columns = Some(Arc::new(names));
                self
            }

            /// The index that keys are of. Without it, it is `PRIMARY`.
            #[must_use]
            pub fn index(mut self, name: &str) -> Self {
                self.calls.table_mut().index = name.to_owned();
                self
            }

            /// Makes rows give bytes as they came.
            #[must_use]
            pub fn raw(mut self) -> Self {
                self.calls.table_mut().raw = true;
                self
            }

            /// The same table inside of a transaction.
            #[must_use]
            pub fn on(&self, transaction: &Transaction) -> Self {
                let target = Target::Transaction(Arc::clone(&transaction.session));
                Table { target, calls: self.calls.clone() }
            }

            /// The same table with rows that are read as records, whose columns are read where none were
            /// named.
            #[must_use]
            pub fn of<T: FromRow>(&self) -> Table<T> {
                let calls = Calls::new(Arc::clone(self.calls.table()));
                let table = Table { target: self.target.clone(), calls };
                match (&self.calls.table().columns, T::columns()) {
                    (None, Some(columns)) => table.columns(columns),
                    _ => table,
                }
            }

            /// The table's calls for a pipeline.
            pub fn call(&self) -> &Calls<R> {
                &self.calls
            }

            /// The table with changes that give rows.
            pub fn returning(&self, when: When) -> Returning {
                Returning { target: self.target.clone(), calls: self.calls.returning(when) }
            }
        }

        impl<R: FromRow> Table<R> {
            /// The rows from one key to another, in the order of the index, one page at a time.
            pub fn range(&self, range: Range) -> Rows<R> {
                Rows(Pages::new(self.target.clone(), self.calls.clone(), range))
            }
        }

        /// A table whose changes give rows: see [`ReturningCalls`].
        #[derive(Debug, Clone)]
        pub struct Returning {
            pub(crate) target: Target,
            pub(crate) calls: ReturningCalls,
        }

        /// The rows of a range.
        #[derive(Debug)]
        pub struct Rows<R>(pub(crate) Pages<R>);

        /// Collects calls and sends them in one piece. When there is a change among them, all go to the
        /// write port.
        #[derive(Debug)]
        pub struct Pipeline(pub(crate) Batch);

        impl Pipeline {
            /// Adds a call, whose result is later taken by the handle.
            pub fn add<T>(&mut self, call: Call<T>) -> Handle<T> {
                self.0.add(call)
            }
        }

        /// A transaction, with a connection of its own, for one call at a time. Where it is dropped
        /// without a commit, it is rolled back.
        #[derive(Debug)]
        pub struct Transaction {
            pub(crate) session: Arc<Session>,
        }

        impl Transaction {
            pub(crate) fn target(&self) -> Target {
                Target::Transaction(Arc::clone(&self.session))
            }

            /// A table inside of the transaction.
            pub fn table(&self, name: &str) -> Table {
                Table::new(self.target(), name)
            }

            /// An empty pipeline inside of the transaction.
            pub fn pipeline(&self) -> Pipeline {
                Pipeline(Batch::new(self.target()))
            }
        }

        impl Drop for Transaction {
            fn drop(&mut self) {
                self.session.abandon(); // Nothing, where it has ended.
            }
        }
    };
}

pub(crate) use {both, types};
