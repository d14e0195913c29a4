//! Bytes of requests and replies. Nothing here knows a socket.
//!
//! Requests are appended to a buffer; a [`Reader`] takes bytes in any pieces and gives replies.

mod find;
mod kind;
mod login;
mod reader;
mod session;
mod sha1;
mod token;

pub use find::{Filter, Find, In, Insert};
pub(crate) use kind::type_name;
pub use kind::Kind;
pub use login::native_password;
pub use reader::{Reader, Reply, DEFAULT_MAX_REPLY};
pub use session::{
    answer, begin, commit, describe, hello, last_gtid, login, open, password, rollback,
    rollback_to, savepoint, secret, wait_gtid, Isolation, Open,
};
pub(crate) use token::append_number;
pub use token::{append_argument, append_bytes, parse_token};
