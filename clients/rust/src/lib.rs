//! Reads and writes rows of a MariaDB server with HandlerSocket 2, without SQL.
//!
//! ```no_run
//! # fn main() -> handlersocket2::Result<()> {
//! let client = handlersocket2::Client::connect("hs://127.0.0.1:9998?write_port=9999")?;
//! if let Some(row) = client.table("test.user").get(101)? {
//!     println!("{}", row.get::<String>("user_name")?);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A [`Client`] is a pool of connections, safe for threads: have one for each server. A [`Table`]
//! has the calls; a [`Query`] adds limits and filters to them, and a [`Range`] goes along an index.
//! With the feature `tokio` the module `tokio` has the same calls as futures. With the feature
//! `tls` connections may use TLS, by OpenSSL. Without features there are no dependencies.
//!
//! # Values
//!
//! | column | [`Value`] | `get` as |
//! |---|---|---|
//! | integers, YEAR | `Integer`; `Unsigned` beyond `i64` | any integer that holds it |
//! | FLOAT, DOUBLE | `Float` | `f64`, `f32` |
//! | DECIMAL | `Text` | `String`, `f64` |
//! | DATE, DATETIME, TIMESTAMP | `Text` | `String`, [`SystemTime`](std::time::SystemTime) (as UTC) |
//! | TIME | `Text` | `String`, [`Duration`](std::time::Duration) |
//! | CHAR, TEXT, ENUM, SET, JSON, UUID, INET | `Text` | `String` |
//! | BINARY, BLOB, BIT, GEOMETRY | `Bytes` | `Vec<u8>` |
//! | NULL | `Null` | `Option` |

#![deny(unsafe_code)]
#![warn(missing_docs, missing_debug_implementations, rust_2018_idioms)]

mod blocking;
mod call;
mod connection;
mod core;
mod describe;
mod draft;
mod error;
mod exchange;
mod facade;
mod gtids;
mod indexes;
mod layout;
mod login;
mod methods;
mod options;
mod pipeline;
mod place;
pub mod protocol;
mod query;
mod quick;
mod range;
mod range_index;
mod raw;
mod request;
mod row;
mod runtime;
mod session;
mod socket;
mod stream;
mod sys;
mod target;
mod time;
#[cfg(feature = "tls")]
mod tls;
#[cfg(feature = "tokio")]
pub mod tokio;
mod url;
mod value;

pub use blocking::{Client, Pipeline, Returning, Rows, Table, Transaction};
pub use call::{Call, Calls, Did, Inserted, Replaced, ReturningCalls, Upserted, When};
pub use describe::{ColumnInfo, IndexInfo, TableInfo};
pub use error::{Error, ErrorKind, Result};
pub use options::{Event, Hook, Options, Tls};
pub use pipeline::{Handle, Results};
pub use protocol::Isolation;
pub use query::Query;
pub use range::Range;
pub use raw::{Port, RawReply};
pub use row::{FromRow, Row};
pub use session::TransactionOptions;
pub use value::{FromValue, Key, Value};
