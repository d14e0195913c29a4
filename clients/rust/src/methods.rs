//! The calls of both APIs that wait.

use std::time::Duration;

use crate::call::{Call, Inserted, Replaced, Upserted};
use crate::describe::{self, ColumnInfo, IndexInfo, TableInfo};
use crate::draft::split_name;
use crate::facade::both;
use crate::protocol;
use crate::query::Query;
use crate::raw::{self, Port, RawReply};
use crate::request::{Expect, Request, TableName};
use crate::target::Target;
use crate::{FromRow, Key, Result, Row, Value};

both! {
    [R] Table [R] {
        /// How many rows compare with the key. Without a limit it counts all.
        fn count(&self, op: &str, key: impl Into<Key>, query: impl Into<Option<Query>>) -> u64
            = self.target.run(self.calls.count(op, key, query));

        /// Whether there is a row with this key.
        fn exists(&self, key: impl Into<Key>) -> bool
            = self.target.run(self.calls.exists(key));

        /// Adds a row, and gives the generated id.
        fn insert(&self, row: impl Into<Row>) -> Option<u64>
            = self.target.run(self.calls.insert(row));

        /// Adds a row, if none with the same value in a unique index is there already.
        fn insert_ignore(&self, row: impl Into<Row>) -> Inserted
            = self.target.run(self.calls.insert_ignore(row));

        /// Adds a row, or updates the one that is there: to the values of `update`, or with `None` to
        /// those of the row. The columns of `update` are among those of the row.
        fn upsert(&self, row: impl Into<Row>, update: impl Into<Option<Row>>) -> Upserted
            = self.target.run(self.calls.upsert(row, update));

        /// Adds a row in the place of all with the same value in a unique index.
        fn replace(&self, row: impl Into<Row>) -> Replaced
            = self.target.run(self.calls.replace(row));

        /// Sets columns of the rows with this key, and tells how many rows there were. The limit is one
        /// row, if none is given.
        fn update(
            &self, key: impl Into<Key>, values: impl Into<Row>, query: impl Into<Option<Query>>,
        ) -> u64
            = self.target.run(self.calls.update(key, values, query));

        /// Deletes the rows with this key, and tells how many. The limit is one row, if none is given.
        fn delete(&self, key: impl Into<Key>, query: impl Into<Option<Query>>) -> u64
            = self.target.run(self.calls.delete(key, query));

        /// Adds integers to columns, and tells how many rows there were.
        fn increment(
            &self, key: impl Into<Key>, amounts: impl Into<Row>, query: impl Into<Option<Query>>,
        ) -> u64
            = self.target.run(self.calls.increment(key, amounts, query));

        /// Subtracts integers from columns, and tells how many rows were changed. One that would cross
        /// zero is left alone and not counted.
        fn decrement(
            &self, key: impl Into<Key>, amounts: impl Into<Row>, query: impl Into<Option<Query>>,
        ) -> u64
            = self.target.run(self.calls.decrement(key, amounts, query));

        /// Sets columns of the row with this key if it is as expected, and tells whether it was.
        fn compare_and_set(
            &self, key: impl Into<Key>, expected: impl Into<Row>, values: impl Into<Row>,
        ) -> bool
            = self.target.run(self.calls.compare_and_set(key, expected, values));
    }

    [R: FromRow] Table [R] {
        /// The row with this key.
        fn get(&self, key: impl Into<Key>) -> Option<R>
            = self.target.run(self.calls.get(key));

        /// A row or nothing for each key, in the order of the keys.
        fn get_many(&self, keys: impl IntoIterator<Item = impl Into<Key>>) -> Vec<Option<R>>
            = get_many(&self.target, keys.into_iter().map(|key| self.calls.get(key)).collect());

        /// The rows whose index compares with the key: `=` `=<` `>` `>=` `<` `<=`. The limit is one row,
        /// if none is given.
        fn find(&self, op: &str, key: impl Into<Key>, query: impl Into<Option<Query>>) -> Vec<R>
            = self.target.run(self.calls.find(op, key, query));

        /// The rows of each of the values, which take the place of that column's value in the key. Limit,
        /// offset and `take_while` are for each value; the limit is one row, if none is given.
        fn find_all(
            &self, op: &str, key: impl Into<Key>, in_column: &str,
            values: impl IntoIterator<Item = impl Into<Value>>, query: impl Into<Option<Query>>,
        ) -> Vec<R>
            = self.target.run(self.calls.find_all(op, key, in_column, values, query));
    }

    [] Returning [] {
        /// Adds a row. It gives the row afterwards; there is none before.
        fn insert(&self, row: impl Into<Row>) -> Vec<Row>
            = self.target.run(self.calls.insert(row));

        /// Adds a row, if it is not there already.
        fn insert_ignore(&self, row: impl Into<Row>) -> Vec<Row>
            = self.target.run(self.calls.insert_ignore(row));

        /// Adds a row, or updates the one that is there.
        fn upsert(&self, row: impl Into<Row>, update: impl Into<Option<Row>>) -> Vec<Row>
            = self.target.run(self.calls.upsert(row, update));

        /// Adds a row in the place of all with the same value in a unique index.
        fn replace(&self, row: impl Into<Row>) -> Vec<Row>
            = self.target.run(self.calls.replace(row));

        /// Sets columns of the rows with this key.
        fn update(
            &self, key: impl Into<Key>, values: impl Into<Row>, query: impl Into<Option<Query>>,
        ) -> Vec<Row>
            = self.target.run(self.calls.update(key, values, query));

        /// Deletes the rows with this key. It gives the rows before; there are none afterwards.
        fn delete(&self, key: impl Into<Key>, query: impl Into<Option<Query>>) -> Vec<Row>
            = self.target.run(self.calls.delete(key, query));

        /// Adds integers to columns.
        fn increment(
            &self, key: impl Into<Key>, amounts: impl Into<Row>, query: impl Into<Option<Query>>,
        ) -> Vec<Row>
            = self.target.run(self.calls.increment(key, amounts, query));

        /// Subtracts integers from columns.
        fn decrement(
            &self, key: impl Into<Key>, amounts: impl Into<Row>, query: impl Into<Option<Query>>,
        ) -> Vec<Row>
            = self.target.run(self.calls.decrement(key, amounts, query));
    }

    [] Client [] {
        /// Opens a connection to the read port, if there is none, and gets an answer.
        fn ping(&self) -> ()
            = ping(self.target());

        /// What the server can do beyond the original protocol, as `H` tells it.
        fn features(&self) -> Vec<String>
            = features(self.target());

        /// The names of the databases.
        fn describe(&self) -> Vec<String>
            = run(self.target(), Ok(describe::databases()));

        /// The tables of a database.
        fn describe_database(&self, database: &str) -> Vec<TableInfo>
            = run(self.target(), Ok(describe::tables(database)));

        /// The columns of a table.
        fn describe_table(&self, table: &str) -> Vec<ColumnInfo>
            = run(self.target(), of_table(&self.target(), table, describe::columns));

        /// The columns of all indexes of a table.
        fn indexes(&self, table: &str) -> Vec<IndexInfo>
            = run(self.target(), of_table(&self.target(), table, describe::indexes));

        /// The GTID of the last change of this client, several with commas when there are several
        /// domains, or the empty text. A change in a call that has not ended does not count.
        fn last_gtid(&self) -> String
            = self.core.last_gtid();

        /// Waits on the read port until the GTIDs are applied there, and tells whether they are.
        fn wait_for_gtid(&self, gtid: &str, limit: Duration) -> bool
            = run(self.target(), wait_for_gtid(gtid, limit));

        /// Sends one line as it is, its tokens joined by TABs, and gives the reply, be it an error or not.
        /// It is for what has no call here and belongs to no connection, as an index, a login or a
        /// transaction does. On the write port it is never sent again.
        fn raw(&self, port: Port, tokens: &[&[u8]]) -> RawReply
            = run(self.target(), Ok(raw::call(port, tokens)));
    }

    [] Transaction [] {
        /// Sets a savepoint.
        fn savepoint(&self, name: &str) -> ()
            = self.session.savepoint(name);

        /// Undoes what was done since a savepoint.
        fn rollback_to(&self, name: &str) -> ()
            = self.session.rollback_to(name);

        /// Sends one line as it is on the transaction's connection.
        fn raw(&self, tokens: &[&[u8]]) -> RawReply
            = run(self.target(), Ok(raw::call(Port::Write, tokens)));
    }
}

pub(crate) async fn run<T>(target: Target, call: Result<Call<T>>) -> Result<T> {
    target.run(call?).await
}

async fn features(target: Target) -> Result<Vec<String>> {
    target.features().await
}

async fn ping(target: Target) -> Result<()> {
    let name = target.core().options.name.clone();
    let call = raw::call(Port::Read, &[b"H", b"2", name.as_bytes()]);
    target.run(call).await.map(|_| ())
}

/// One pipeline of reads; the first error is that of all.
async fn get_many<R>(target: &Target, calls: Vec<Call<Option<R>>>) -> Result<Vec<Option<R>>> {
    let mut batch = crate::pipeline::Batch::new(target.clone());
    let mut handles = Vec::with_capacity(calls.len());
    for call in calls {
        handles.push(batch.add(call.named("get_many")));
    }
    let mut results = batch.run().await;
    handles.into_iter().map(|handle| results.take(handle)).collect()
}

type Describe<T> = fn(&TableName) -> Call<T>;

fn of_table<T>(target: &Target, table: &str, describe: Describe<T>) -> Result<Call<T>> {
    let usual = target.core().options.database.as_deref();
    split_name(table, usual).map(|name| describe(&name))
}

fn wait_for_gtid(gtid: &str, limit: Duration) -> Result<Call<bool>> {
    let mut line = Vec::new();
    protocol::wait_gtid(&mut line, gtid, limit.as_millis())?;
    let mut request = Request::of_line("wait_for_gtid", line, "gtid");
    request.expect = Expect::Count;
    request.patience = limit;
    Ok(Call::of_request(request, |reply, _| Ok(reply.value(0) == Some(b"1"))))
}
