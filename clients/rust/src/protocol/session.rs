use std::str::FromStr;

use super::token::{append_bytes, append_display, check_name};
use crate::{Error, Result};

/// What an index id stands for.
#[derive(Debug, Clone, Copy)]
pub struct Open<'a> {
    /// The database.
    pub database: &'a str,
    /// The table.
    pub table: &'a str,
    /// The index by its name; empty is `PRIMARY`.
    pub index: &'a str,
    /// The columns that finds return and changes set.
    pub columns: &'a [String],
    /// The columns that filters compare.
    pub filter_columns: &'a [String],
}

impl Open<'_> {
    /// Appends what stands behind the id, without the end of the line.
    pub fn append(&self, out: &mut Vec<u8>) -> Result<()> {
        if self.database.is_empty() || self.table.is_empty() {
            return Err(Error::value("a table has a name and a database: database.table"));
        }
        for name in [self.database, self.table, self.index] {
            check_name(name)?;
            out.extend_from_slice(name.as_bytes());
            out.push(b'\t');
        }
        append_columns(out, self.columns)?;
        if !self.filter_columns.is_empty() {
            out.push(b'\t');
            append_columns(out, self.filter_columns)?;
        }
        Ok(())
    }
}

fn append_columns(out: &mut Vec<u8>, names: &[String]) -> Result<()> {
    for (i, name) in names.iter().enumerate() {
        check_name(name)?;
        if name.is_empty() || name.contains(',') {
            return Err(Error::value(format!("{name:?} is no name of a column here")));
        }
        if i > 0 {
            out.push(b',');
        }
        out.extend_from_slice(name.as_bytes());
    }
    Ok(())
}

/// Appends the line that opens an index.
pub fn open(out: &mut Vec<u8>, id: u32, open: &Open<'_>) -> Result<()> {
    append_display(out, format_args!("P\t{id}\t"));
    open.append(out)?;
    out.push(b'\n');
    Ok(())
}

/// How a transaction reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// `RU`
    ReadUncommitted,
    /// `RC`
    ReadCommitted,
    /// `RR`
    RepeatableRead,
    /// `SR`
    Serializable,
}

impl Isolation {
    fn token(self) -> &'static [u8] {
        match self {
            Isolation::ReadUncommitted => b"\tRU",
            Isolation::ReadCommitted => b"\tRC",
            Isolation::RepeatableRead => b"\tRR",
            Isolation::Serializable => b"\tSR",
        }
    }
}

impl FromStr for Isolation {
    type Err = Error;

    /// Reads `RU`, `RC`, `RR` or `SR`.
    fn from_str(name: &str) -> Result<Self> {
        match name {
            "RU" => Ok(Isolation::ReadUncommitted),
            "RC" => Ok(Isolation::ReadCommitted),
            "RR" => Ok(Isolation::RepeatableRead),
            "SR" => Ok(Isolation::Serializable),
            _ => Err(Error::value(format!("{name:?} is no isolation level: RU, RC, RR or SR"))),
        }
    }
}

/// Appends the line that begins a transaction.
pub fn begin(out: &mut Vec<u8>, isolation: Option<Isolation>, read_only: bool) {
    out.extend_from_slice(b"T\tB");
    if let Some(isolation) = isolation {
        out.extend_from_slice(isolation.token());
    }
    if read_only {
        out.extend_from_slice(b"\tRO");
    }
    out.push(b'\n');
}

/// Appends the line that commits a transaction.
pub fn commit(out: &mut Vec<u8>) {
    out.extend_from_slice(b"T\tC\n");
}

/// Appends the line that rolls a transaction back.
pub fn rollback(out: &mut Vec<u8>) {
    out.extend_from_slice(b"T\tR\n");
}

/// Appends the line that sets a savepoint; its name has 1 to 256 bytes.
pub fn savepoint(out: &mut Vec<u8>, name: &str) -> Result<()> {
    append_savepoint(out, b"T\tS\t", name)
}

/// Appends the line that undoes what was done since a savepoint.
pub fn rollback_to(out: &mut Vec<u8>, name: &str) -> Result<()> {
    append_savepoint(out, b"T\tU\t", name)
}

fn append_savepoint(out: &mut Vec<u8>, verb: &[u8], name: &str) -> Result<()> {
    if name.is_empty() || name.len() > 256 {
        return Err(Error::value("the name of a savepoint has 1 to 256 bytes"));
    }
    out.extend_from_slice(verb);
    append_bytes(out, name.as_bytes());
    out.push(b'\n');
    Ok(())
}

/// Appends the line that asks for the GTID of the connection's last change.
pub fn last_gtid(out: &mut Vec<u8>) {
    out.extend_from_slice(b"G\tL\n");
}

/// Appends the line that waits for GTIDs, for 0 to 600000 milliseconds.
pub fn wait_gtid(out: &mut Vec<u8>, gtid: &str, milliseconds: u128) -> Result<()> {
    if milliseconds > 600_000 {
        return Err(Error::value("one waits for a GTID for ten minutes at most"));
    }
    check_name(gtid)?;
    append_display(out, format_args!("G\tW\t{gtid}\t{milliseconds}\n"));
    Ok(())
}

/// Appends the line that asks for the server's features.
pub fn hello(out: &mut Vec<u8>, version: u32, client: &str) -> Result<()> {
    check_name(client)?;
    append_display(out, format_args!("H\t{version}"));
    if !client.is_empty() {
        out.push(b'\t');
        out.extend_from_slice(client.as_bytes());
    }
    out.push(b'\n');
    Ok(())
}

/// Appends the line that asks what there is: databases, the tables of one, or the columns or indexes
/// of a table. An empty name is none.
pub fn describe(out: &mut Vec<u8>, database: &str, table: &str, indexes: bool) -> Result<()> {
    if database.is_empty() && !table.is_empty() || table.is_empty() && indexes {
        return Err(Error::value("indexes belong to a table, and a table to a database"));
    }
    out.push(b'D');
    for name in [database, table] {
        if !name.is_empty() {
            out.push(b'\t');
            append_bytes(out, name.as_bytes());
        }
    }
    out.extend_from_slice(if indexes { b"\tI\n" } else { b"\n" });
    Ok(())
}

/// Appends the line that shows the secret of a port.
pub fn secret(out: &mut Vec<u8>, secret: &str) {
    out.extend_from_slice(b"A\t1\t");
    append_bytes(out, secret.as_bytes());
    out.push(b'\n');
}

/// Appends the line that asks for a challenge to an account.
pub fn login(out: &mut Vec<u8>, user: &str, methods: &[&str]) {
    out.extend_from_slice(b"A\t2\t");
    append_bytes(out, user.as_bytes());
    if !methods.is_empty() {
        append_display(out, format_args!("\t{}", methods.join(",")));
    }
    out.push(b'\n');
}

/// Appends the line that answers a challenge.
pub fn answer(out: &mut Vec<u8>, response: &[u8]) {
    out.extend_from_slice(b"A\t3\t");
    for byte in response {
        append_display(out, format_args!("{byte:02x}"));
    }
    out.push(b'\n');
}

/// Appends the line that sends the password itself: over TLS or a Unix socket only.
pub fn password(out: &mut Vec<u8>, user: &str, password: &str) {
    out.extend_from_slice(b"A\t4\t");
    append_bytes(out, user.as_bytes());
    out.push(b'\t');
    append_bytes(out, password.as_bytes());
    out.push(b'\n');
}
