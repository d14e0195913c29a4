use std::sync::Arc;

use crate::call::{Call, Decode};
use crate::draft::What;
use crate::layout::Shape;
use crate::protocol::{self, Reply};
use crate::request::{About, Expect, Request, TableName};
use crate::{Error, Result};

/// What a server tells of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableInfo {
    /// Its name.
    pub table: String,
    /// That of `information_schema.TABLES`.
    pub comment: String,
}

/// What a server tells of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnInfo {
    /// Its name.
    pub column: String,
    /// Such as `int(10) unsigned`.
    pub column_type: String,
    /// Whether it takes NULL.
    pub nullable: bool,
    /// `PRI`, `UNI`, `MUL` or empty.
    pub key: String,
    /// An expression of SQL; `None`: a value must be given, or is generated.
    pub default: Option<String>,
    /// Such as `auto_increment`.
    pub extra: String,
    /// `None` for a column that has none.
    pub character_set: Option<String>,
    /// The column's comment.
    pub comment: String,
}

/// What a server tells of one column of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexInfo {
    /// The index's name.
    pub index: String,
    /// The place in the index, from 1.
    pub position: u32,
    /// The column's name.
    pub column: String,
    /// Whether the index is unique.
    pub unique: bool,
    /// `A`, `D` or, for an index without an order, `None`.
    pub direction: Option<String>,
    /// In characters; `None`: the index has the whole column.
    pub prefix_length: Option<u32>,
}

struct Values<'a>(&'a Reply, usize);

impl Values<'_> {
    fn optional(&self, place: usize) -> Option<String> {
        let value = self.0.value(self.1 + place)?;
        Some(String::from_utf8_lossy(value).into_owned())
    }

    fn text(&self, place: usize) -> String {
        self.optional(place).unwrap_or_default()
    }
}

fn decode<T>(reply: Reply, row: fn(Values<'_>) -> T) -> Result<Vec<T>> {
    Ok((0..reply.rows()).map(|place| row(Values(&reply, place * reply.columns()))).collect())
}

fn call<T>(name: &TableName, indexes: bool, decode: Decode<T>) -> Call<T> {
    let TableName { database, table } = name;
    let mut line = Vec::new();
    let request = protocol::describe(&mut line, database, table, indexes).map(|()| {
        let mut request = Request::of_line("describe", line, "describe");
        request.expect = Expect::rows(match (&**database, &**table) {
            _ if indexes => 6,
            ("", _) => 1,
            (_, "") => 2,
            _ => 8,
        });
        request.about = Arc::new(About { table: Arc::new(name.clone()), ..About::default() });
        request
    });
    Call::new("describe", What::Line(Box::new(request)), decode)
}

pub(crate) fn databases() -> Call<Vec<String>> {
    call(&TableName::default(), false, |reply, _: &Shape| decode(reply, |values| values.text(0)))
}

pub(crate) fn tables(database: &str) -> Call<Vec<TableInfo>> {
    if database.is_empty() {
        let error = Err(Error::value("a database has a name"));
        return Call::new("describe", What::Line(Box::new(error)), |_, _| Ok(Vec::new()));
    }
    let name = TableName { database: database.to_owned(), table: String::new() };
    call(&name, false, |reply, _| {
        decode(reply, |values| TableInfo { table: values.text(0), comment: values.text(1) })
    })
}

pub(crate) fn columns(table: &TableName) -> Call<Vec<ColumnInfo>> {
    call(table, false, |reply, _| {
        decode(reply, |values| ColumnInfo {
            column: values.text(0),
            column_type: values.text(1),
            nullable: values.text(2) == "YES",
            key: values.text(3),
            default: values.optional(4),
            extra: values.text(5),
            character_set: values.optional(6),
            comment: values.text(7),
        })
    })
}

pub(crate) fn indexes(table: &TableName) -> Call<Vec<IndexInfo>> {
    call(table, true, |reply, _| {
        decode(reply, |values| IndexInfo {
            index: values.text(0),
            position: values.text(1).parse().unwrap_or_default(),
            column: values.text(2),
            unique: values.text(3) == "1",
            direction: values.optional(4),
            prefix_length: values.optional(5).and_then(|length| length.parse().ok()),
        })
    })
}
