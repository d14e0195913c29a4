//! The calls of a table, alone and in a pipeline.

use handlersocket2::{Call, Inserted, Replaced, Result, Results, Row, Upserted, When};
use serde_json::{json, Value as Json};

use crate::arguments::Arguments;
use crate::either::{Pipeline, Run, Table};
use crate::nonsense;
use crate::values::{encode_row, encode_rows};

pub type Taker = Box<dyn FnOnce(&mut Results) -> Result<Json>>;

/// What is done with a call.
trait Use {
    type Output;

    fn with<T: 'static>(self, call: Call<T>, show: fn(T) -> Json) -> Self::Output;
}

impl Use for &Run<'_> {
    type Output = Result<Json>;

    fn with<T>(self, call: Call<T>, show: fn(T) -> Json) -> Result<Json> {
        self.run(call).map(show)
    }
}

impl Use for &mut Pipeline {
    type Output = Taker;

    fn with<T: 'static>(self, call: Call<T>, show: fn(T) -> Json) -> Taker {
        let handle = self.add(call);
        Box::new(move |results| results.take(handle).map(show))
    }
}

pub fn carry_out(
    run: &Run<'_>,
    table: &Table,
    name: &str,
    arguments: &Arguments<'_>,
) -> Result<Json> {
    match name {
        "range" => table.range(arguments.range()).map(|rows| encode_rows(&rows)),
        "put_back" => {
            let calls = table.calls();
            let row = run.run(calls.get(arguments.key()))?.unwrap_or_default();
            Ok(json!(run.run(calls.update(arguments.key(), row, arguments.query()))?))
        }
        "get_many" => {
            let rows = table.get_many(arguments.keys())?;
            Ok(rows.into_iter().map(optional_row).collect())
        }
        _ => choose(run, table, name, arguments)?,
    }
}

pub fn add(
    pipeline: &mut Pipeline,
    table: &Table,
    name: &str,
    arguments: &Arguments<'_>,
) -> Result<Taker> {
    choose(pipeline, table, name, arguments)
}

fn choose<U: Use>(to: U, table: &Table, name: &str, a: &Arguments<'_>) -> Result<U::Output> {
    let calls = table.calls();
    if let Some(when) = a.text("returning") {
        return choose_returning(to, table, when, name, a);
    }
    Ok(match name {
        "get" => to.with(calls.get(a.key()), optional_row),
        "find" => to.with(calls.find(a.op(), a.key(), a.query()), rows),
        "find_all" => {
            let column = a.text("in_column").unwrap_or_default();
            to.with(calls.find_all(a.op(), a.key(), column, a.values(), a.query()), rows)
        }
        "count" => to.with(calls.count(a.op(), a.key(), a.query()), |rows| json!(rows)),
        "exists" => to.with(calls.exists(a.key()), |is| json!(is)),
        "insert" => to.with(calls.insert(a.row("row")), |id| json!(id)),
        "insert_ignore" => to.with(calls.insert_ignore(a.row("row")), inserted),
        "upsert" => to.with(calls.upsert(a.row("row"), a.update()), upserted),
        "replace" => to.with(calls.replace(a.row("row")), replaced),
        "update" => to.with(calls.update(a.key(), a.row("values"), a.query()), |rows| json!(rows)),
        "delete" => to.with(calls.delete(a.key(), a.query()), |rows| json!(rows)),
        "increment" => {
            to.with(calls.increment(a.key(), a.row("amounts"), a.query()), |rows| json!(rows))
        }
        "decrement" => {
            to.with(calls.decrement(a.key(), a.row("amounts"), a.query()), |rows| json!(rows))
        }
        "compare_and_set" => {
            let call = calls.compare_and_set(a.key(), a.row("expected"), a.row("values"));
            to.with(call, |done| json!(done))
        }
        _ => return Err(nonsense("such call")),
    })
}

fn choose_returning<U: Use>(
    to: U,
    table: &Table,
    when: &str,
    name: &str,
    a: &Arguments<'_>,
) -> Result<U::Output> {
    let calls = table.returning(if when == "before" { When::Before } else { When::After });
    let call = match name {
        "insert" => calls.insert(a.row("row")),
        "insert_ignore" => calls.insert_ignore(a.row("row")),
        "upsert" => calls.upsert(a.row("row"), a.update()),
        "replace" => calls.replace(a.row("row")),
        "update" => calls.update(a.key(), a.row("values"), a.query()),
        "delete" => calls.delete(a.key(), a.query()),
        "increment" => calls.increment(a.key(), a.row("amounts"), a.query()),
        "decrement" => calls.decrement(a.key(), a.row("amounts"), a.query()),
        _ => return Err(nonsense("such call that gives rows")),
    };
    Ok(to.with(call, rows))
}

fn rows(rows: Vec<Row>) -> Json {
    encode_rows(&rows)
}

fn optional_row(row: Option<Row>) -> Json {
    row.as_ref().map_or(Json::Null, encode_row)
}

fn inserted(done: Inserted) -> Json {
    json!({ "inserted": done.inserted, "id": done.id })
}

fn upserted(done: Upserted) -> Json {
    json!({ "did": done.did.name(), "id": done.id })
}

fn replaced(done: Replaced) -> Json {
    json!({ "replaced": done.replaced, "id": done.id })
}
