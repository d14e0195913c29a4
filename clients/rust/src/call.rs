use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::draft::{Draft, LastRead, TableSpec, What};
use crate::layout::Shape;
use crate::protocol::Reply;
use crate::request::Request;
use crate::{Error, FromRow, Key, Query, Result, Row, Value};

/// What a reply means.
pub(crate) type Decode<T> = fn(Reply, &Shape) -> Result<T>;

/// A call that was not carried out yet: for a pipeline, or for `run` of a client or a transaction.
pub struct Call<T> {
    pub(crate) draft: Draft,
    pub(crate) decode: Decode<T>,
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Call").field(&self.draft.kind).finish()
    }
}

impl<T> Call<T> {
    pub(crate) fn new(kind: &'static str, what: What, decode: Decode<T>) -> Self {
        Call { draft: Draft { kind, what }, decode }
    }

    pub(crate) fn of_request(request: Request, decode: Decode<T>) -> Self {
        Call::new(request.kind, What::Line(Box::new(Ok(request))), decode)
    }

    /// The same call with another name for the hook.
    pub(crate) fn named(mut self, kind: &'static str) -> Self {
        self.draft.kind = kind;
        self
    }
}

/// The result of an insert that leaves a row alone that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inserted {
    /// Whether the row was added.
    pub inserted: bool,
    /// The generated id.
    pub id: Option<u64>,
}

/// What an upsert did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Did {
    /// The row is new.
    Inserted,
    /// The row that was there has other values now.
    Updated,
    /// The row that was there is as it was.
    Unchanged,
}

impl Did {
    /// `inserted`, `updated` or `unchanged`.
    pub fn name(self) -> &'static str {
        match self {
            Did::Inserted => "inserted",
            Did::Updated => "updated",
            Did::Unchanged => "unchanged",
        }
    }
}

/// The result of an upsert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upserted {
    /// What it did.
    pub did: Did,
    /// The generated id, or that of the row that was updated.
    pub id: Option<u64>,
}

/// The result of a replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replaced {
    /// How many rows the new one has replaced.
    pub replaced: u64,
    /// The generated id.
    pub id: Option<u64>,
}

/// Makes the calls of a table without carrying them out; their meaning is that of the table's methods.
///
/// It is for pipelines: `pipeline.add(users.call().get(1))`.
pub struct Calls<R = Row> {
    table: Arc<TableSpec>,
    rows: PhantomData<fn() -> R>,
}

impl<R> Clone for Calls<R> {
    fn clone(&self) -> Self {
        Calls::new(Arc::clone(&self.table))
    }
}

impl<R> fmt::Debug for Calls<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Calls").field(&self.table.name).finish()
    }
}

impl<R> Calls<R> {
    pub(crate) fn new(table: Arc<TableSpec>) -> Self {
        Calls { table, rows: PhantomData }
    }

    pub(crate) fn table(&self) -> &Arc<TableSpec> {
        &self.table
    }

    pub(crate) fn table_mut(&mut self) -> &mut TableSpec {
        let table = Arc::make_mut(&mut self.table);
        table.last = LastRead::default();
        table
    }

    fn search<T>(
        &self,
        kind: &'static str,
        key: impl Into<Key>,
        query: impl Into<Option<Query>>,
        verb: &'static str,
        values: Option<Row>,
        decode: Decode<T>,
    ) -> Call<T> {
        let table = Arc::clone(&self.table);
        let (query, key) = (query.into().map(Box::new), key.into());
        Call::new(kind, What::Find { table, query, key, verb, values, reads: None }, decode)
    }

    fn add<T>(
        &self,
        kind: &'static str,
        verb: &'static str,
        row: impl Into<Row>,
        update: Option<Row>,
        decode: Decode<T>,
    ) -> Call<T> {
        let table = Arc::clone(&self.table);
        Call::new(kind, What::Insert { table, verb, row: row.into(), update }, decode)
    }

    /// How many rows compare with the key.
    pub fn count(
        &self,
        op: &str,
        key: impl Into<Key>,
        query: impl Into<Option<Query>>,
    ) -> Call<u64> {
        self.search("count", key, with_op(query, op), "C", None, number)
    }

    /// Whether there is a row with this key.
    pub fn exists(&self, key: impl Into<Key>) -> Call<bool> {
        self.search("exists", key, Query::new().limit(1u32), "C", None, is_some)
    }

    /// Adds a row.
    pub fn insert(&self, row: impl Into<Row>) -> Call<Option<u64>> {
        self.add("insert", "+", row, None, |reply, _| match reply.len() {
            0 => Ok(None),
            _ => id(&reply, 0),
        })
    }

    /// Adds a row, if it is not there already.
    pub fn insert_ignore(&self, row: impl Into<Row>) -> Call<Inserted> {
        self.add("insert_ignore", "+I", row, None, |reply, _| {
            Ok(Inserted { inserted: first_number(&reply)? > 0, id: second_id(&reply)? })
        })
    }

    /// Adds a row, or updates the one that is there.
    pub fn upsert(&self, row: impl Into<Row>, update: impl Into<Option<Row>>) -> Call<Upserted> {
        self.add("upsert", "+U", row, update.into(), |reply, _| {
            let did = match first_number(&reply)? {
                0 => Did::Unchanged,
                1 => Did::Inserted,
                _ => Did::Updated,
            };
            Ok(Upserted { did, id: second_id(&reply)? })
        })
    }

    /// Adds a row in the place of all with the same value in a unique index.
    pub fn replace(&self, row: impl Into<Row>) -> Call<Replaced> {
        self.add("replace", "+R", row, None, |reply, _| {
            let replaced = first_number(&reply)?.saturating_sub(1);
            Ok(Replaced { replaced, id: second_id(&reply)? })
        })
    }

    /// Sets columns of the rows with this key.
    pub fn update(
        &self,
        key: impl Into<Key>,
        values: impl Into<Row>,
        query: impl Into<Option<Query>>,
    ) -> Call<u64> {
        self.search("update", key, query, "U", Some(values.into()), number)
    }

    /// Deletes the rows with this key.
    pub fn delete(&self, key: impl Into<Key>, query: impl Into<Option<Query>>) -> Call<u64> {
        self.search("delete", key, query, "D", None, number)
    }

    /// Adds integers to columns.
    pub fn increment(
        &self,
        key: impl Into<Key>,
        amounts: impl Into<Row>,
        query: impl Into<Option<Query>>,
    ) -> Call<u64> {
        self.search("increment", key, query, "+", Some(amounts.into()), number)
    }

    /// Subtracts integers from columns.
    pub fn decrement(
        &self,
        key: impl Into<Key>,
        amounts: impl Into<Row>,
        query: impl Into<Option<Query>>,
    ) -> Call<u64> {
        self.search("decrement", key, query, "-", Some(amounts.into()), number)
    }

    /// Sets columns of the row with this key if it is as expected.
    pub fn compare_and_set(
        &self,
        key: impl Into<Key>,
        expected: impl Into<Row>,
        values: impl Into<Row>,
    ) -> Call<bool> {
        let expected = expected.into();
        if expected.columns().is_empty() {
            let error = Err(Error::value("there is nothing to compare with"));
            return Call::new("compare_and_set", What::Line(Box::new(error)), is_some);
        }
        let mut query = Query::new();
        for (column, value) in expected.iter() {
            query = query.filter(column, "=", value.clone());
        }
        self.search("compare_and_set", key, query, "U", Some(values.into()), is_some)
    }

    /// The same calls with the rows that they change.
    pub fn returning(&self, when: When) -> ReturningCalls {
        ReturningCalls { calls: Calls::new(Arc::clone(&self.table)), when }
    }
}

impl<R: FromRow> Calls<R> {
    /// The row with this key.
    pub fn get(&self, key: impl Into<Key>) -> Call<Option<R>> {
        self.search("get", key, None, "", None, |reply, shape| shape.first(reply))
    }

    /// Rows whose index compares with the key.
    pub fn find(
        &self,
        op: &str,
        key: impl Into<Key>,
        query: impl Into<Option<Query>>,
    ) -> Call<Vec<R>> {
        self.search("find", key, with_op(query, op), "", None, rows)
    }

    /// All rows of each of the values.
    pub fn find_all<V: Into<Value>>(
        &self,
        op: &str,
        key: impl Into<Key>,
        in_column: &str,
        values: impl IntoIterator<Item = V>,
        query: impl Into<Option<Query>>,
    ) -> Call<Vec<R>> {
        let query = with_op(query, op).list(in_column, values, true);
        self.search("find_all", key, query, "", None, rows)
    }
}

/// Which rows a change gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Those that were there, as they were.
    Before,
    /// Those that are there now.
    After,
}

/// Makes calls that change rows and give them. Inserts give the columns of the row and those of the table
/// object, deletes the latter, and other changes those that they set.
#[derive(Debug, Clone)]
pub struct ReturningCalls {
    calls: Calls<Row>,
    when: When,
}

impl ReturningCalls {
    fn either(&self, before: &'static str, after: &'static str) -> &'static str {
        match self.when {
            When::Before => before,
            When::After => after,
        }
    }

    /// Adds a row. It gives the row afterwards; there is none before.
    pub fn insert(&self, row: impl Into<Row>) -> Call<Vec<Row>> {
        self.calls.add("insert", self.either("+?", "+!"), row, None, rows)
    }

    /// Adds a row, if it is not there already.
    pub fn insert_ignore(&self, row: impl Into<Row>) -> Call<Vec<Row>> {
        self.calls.add("insert_ignore", self.either("+I?", "+I!"), row, None, rows)
    }

    /// Adds a row, or updates the one that is there.
    pub fn upsert(&self, row: impl Into<Row>, update: impl Into<Option<Row>>) -> Call<Vec<Row>> {
        self.calls.add("upsert", self.either("+U?", "+U!"), row, update.into(), rows)
    }

    /// Adds a row in the place of all with the same value in a unique index.
    pub fn replace(&self, row: impl Into<Row>) -> Call<Vec<Row>> {
        self.calls.add("replace", self.either("+R?", "+R!"), row, None, rows)
    }

    /// Sets columns of the rows with this key.
    pub fn update(
        &self,
        key: impl Into<Key>,
        values: impl Into<Row>,
        query: impl Into<Option<Query>>,
    ) -> Call<Vec<Row>> {
        let verb = self.either("U?", "U!");
        self.calls.search("update", key, query, verb, Some(values.into()), rows)
    }

    /// Deletes the rows with this key. It gives the rows before; there are none afterwards.
    pub fn delete(&self, key: impl Into<Key>, query: impl Into<Option<Query>>) -> Call<Vec<Row>> {
        let verb = self.either("D?", "D!");
        self.calls.search("delete", key, query, verb, None, rows)
    }

    /// Adds integers to columns.
    pub fn increment(
        &self,
        key: impl Into<Key>,
        amounts: impl Into<Row>,
        query: impl Into<Option<Query>>,
    ) -> Call<Vec<Row>> {
        let verb = self.either("+?", "+!");
        self.calls.search("increment", key, query, verb, Some(amounts.into()), rows)
    }

    /// Subtracts integers from columns.
    pub fn decrement(
        &self,
        key: impl Into<Key>,
        amounts: impl Into<Row>,
        query: impl Into<Option<Query>>,
    ) -> Call<Vec<Row>> {
        let verb = self.either("-?", "-!");
        self.calls.search("decrement", key, query, verb, Some(amounts.into()), rows)
    }
}

fn with_op(query: impl Into<Option<Query>>, op: &str) -> Query {
    query.into().unwrap_or_default().op(op)
}

fn rows<R: FromRow>(reply: Reply, shape: &Shape) -> Result<Vec<R>> {
    shape.rows(&reply)
}

fn parse(reply: &Reply, place: usize) -> Result<u64> {
    let digits = reply.value(place).and_then(|digits| std::str::from_utf8(digits).ok());
    let number = digits.and_then(|digits| digits.parse().ok());
    number.ok_or_else(|| Error::protocol("it has no number"))
}

fn first_number(reply: &Reply) -> Result<u64> {
    parse(reply, 0)
}

fn id(reply: &Reply, place: usize) -> Result<Option<u64>> {
    Ok(Some(parse(reply, place)?).filter(|id| *id != 0))
}

fn second_id(reply: &Reply) -> Result<Option<u64>> {
    match reply.columns() {
        2 => id(reply, 1),
        _ => Ok(None),
    }
}

pub(crate) fn number(reply: Reply, _: &Shape) -> Result<u64> {
    first_number(&reply)
}

fn is_some(reply: Reply, _: &Shape) -> Result<bool> {
    Ok(first_number(&reply)? > 0)
}
