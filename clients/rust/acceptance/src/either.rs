//! The two APIs behind one.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use handlersocket2::{
    Call, Calls, ColumnInfo, Handle, IndexInfo, Options, Port, Range, RawReply, Result, Results,
    Row, TableInfo, TransactionOptions, When,
};
use serde_json::{json, Value as Json};
use tokio::runtime::Runtime;

type Tasks = &'static Runtime;

/// Waits for a call of the asynchronous API.
macro_rules! either {
    ($either:expr, $name:ident => $call:expr) => {
        match $either {
            Either::Blocking($name) => $call,
            Either::Tokio(tasks, $name) => tasks.block_on($call),
        }
    };
}

/// The same call of both, which does not wait.
macro_rules! at_once {
    ($either:expr, $name:ident => $call:expr) => {
        match $either {
            Either::Blocking($name) => Either::Blocking($call),
            Either::Tokio(tasks, $name) => {
                let _inside = tasks.enter();
                Either::Tokio(tasks, $call)
            }
        }
    };
}

#[derive(Clone)]
enum Either<B, T> {
    Blocking(B),
    Tokio(Tasks, T),
}

pub struct Api(Either<handlersocket2::Client, handlersocket2::tokio::Client>);

#[derive(Clone)]
pub struct Table(Either<handlersocket2::Table, handlersocket2::tokio::Table>);

pub struct Transaction(Either<handlersocket2::Transaction, handlersocket2::tokio::Transaction>);

pub struct Pipeline(Either<handlersocket2::Pipeline, handlersocket2::tokio::Pipeline>);

/// Sets an option of text as a program does.
fn set_text(options: &mut Options, name: &str, value: &str) {
    let value = value.to_owned();
    match name {
        "host" => options.host = value,
        "name" => options.name = value,
        "socket" => options.socket = Some(value),
        "write_socket" => options.write_socket = Some(value),
        "database" => options.database = Some(value),
        "user" => options.user = Some(value),
        "password" => options.password = Some(value),
        "secret" => options.secret = Some(value),
        "write_secret" => options.write_secret = Some(value),
        "tls_ca" => options.tls_ca = Some(value),
        "tls_cert" => options.tls_cert = Some(value),
        "tls_key" => options.tls_key = Some(value),
        _ => options.tls_name = Some(value),
    }
}

/// Sets a number as a program does. What its type cannot hold becomes the largest that it holds, which is
/// refused, too, but for ports; those become 0.
fn set(options: &mut Options, name: &str, value: f64) {
    let whole = value >= 0.0 && value.fract() == 0.0 && value <= f64::from(u32::MAX);
    let whole = if whole { value as u32 } else { u32::MAX };
    let port = u16::try_from(whole).unwrap_or_default();
    let fits = (0.0..1e9).contains(&value);
    let time = if fits { Duration::from_secs_f64(value) } else { Duration::MAX };
    match name {
        "port" => options.port = port,
        "write_port" => options.write_port = port,
        "pool_size" => options.pool_size = whole as usize,
        "retries" => options.retries = whole,
        "connect_timeout" => options.connect_timeout = time,
        "timeout" => options.timeout = time,
        "max_idle" => options.max_idle = time,
        _ => options.gtid_timeout = time,
    }
}

impl Api {
    pub fn connect(url: &str, hook: bool, given: &Json) -> Result<Api> {
        let mut options =
            if url.is_empty() { Options::from_env()? } else { Options::from_url(url)? };
        for (name, value) in given.as_object().into_iter().flatten() {
            match value.as_str() {
                Some(text) => set_text(&mut options, name, text),
                None => set(&mut options, name, value.as_f64().unwrap_or_default()),
            }
        }
        if hook {
            options.on_request = Some(Arc::new(|_| panic!("the hook fails")));
        }
        if env::var("RUST_API").map_or(false, |api| api == "tokio") {
            let tasks = Box::leak(Box::new(Runtime::new().expect("a runtime begins")));
            return Ok(Api(Either::Tokio(tasks, handlersocket2::tokio::Client::open(options)?)));
        }
        Ok(Api(Either::Blocking(handlersocket2::Client::open(options)?)))
    }

    pub fn close(self) {
        at_once!(self.0, client => client.close());
    }

    pub fn table(
        &self,
        name: &str,
        columns: Option<Vec<String>>,
        index: Option<&str>,
        raw: bool,
    ) -> Table {
        let mut table = at_once!(&self.0, client => client.table(name));
        if let Some(columns) = columns {
            table = at_once!(table, table => table.columns(columns));
        }
        if let Some(index) = index {
            table = at_once!(table, table => table.index(index));
        }
        Table(if raw { at_once!(table, table => table.raw()) } else { table })
    }

    pub fn begin(&self, options: TransactionOptions) -> Result<Transaction> {
        Ok(Transaction(match &self.0 {
            Either::Blocking(client) => Either::Blocking(client.begin(options)?),
            Either::Tokio(tasks, client) => {
                Either::Tokio(tasks, tasks.block_on(client.begin(options))?)
            }
        }))
    }

    pub fn pipeline(&self) -> Pipeline {
        Pipeline(at_once!(&self.0, client => client.pipeline()))
    }

    pub fn ping(&self) -> Result<()> {
        either!(&self.0, client => client.ping())
    }

    pub fn features(&self) -> Result<Vec<String>> {
        either!(&self.0, client => client.features())
    }

    pub fn last_gtid(&self) -> Result<String> {
        either!(&self.0, client => client.last_gtid())
    }

    pub fn wait_for_gtid(&self, gtid: &str, limit: Duration) -> Result<bool> {
        either!(&self.0, client => client.wait_for_gtid(gtid, limit))
    }

    pub fn raw(&self, port: Port, tokens: &[&[u8]]) -> Result<RawReply> {
        either!(&self.0, client => client.raw(port, tokens))
    }

    pub fn describe(&self, name: &str) -> Result<Json> {
        if name.is_empty() {
            return Ok(json!(either!(&self.0, client => client.describe())?));
        }
        if name.contains('.') {
            let columns = either!(&self.0, client => client.describe_table(name))?;
            return Ok(columns.iter().map(column).collect());
        }
        let tables = either!(&self.0, client => client.describe_database(name))?;
        Ok(tables.iter().map(table).collect())
    }

    pub fn indexes(&self, name: &str) -> Result<Json> {
        let indexes = either!(&self.0, client => client.indexes(name))?;
        Ok(indexes.iter().map(index).collect())
    }
}

fn table(info: &TableInfo) -> Json {
    json!({"table": info.table, "comment": info.comment})
}

fn column(info: &ColumnInfo) -> Json {
    json!({
        "column": info.column, "type": info.column_type, "nullable": info.nullable,
        "key": info.key, "default": info.default, "extra": info.extra,
        "character_set": info.character_set, "comment": info.comment,
    })
}

fn index(info: &IndexInfo) -> Json {
    json!({
        "index": info.index, "position": info.position, "column": info.column,
        "unique": info.unique, "direction": info.direction, "prefix_length": info.prefix_length,
    })
}

impl Table {
    pub fn on(&self, transaction: &Transaction) -> Table {
        Table(match (&self.0, &transaction.0) {
            (Either::Blocking(table), Either::Blocking(on)) => Either::Blocking(table.on(on)),
            (Either::Tokio(tasks, table), Either::Tokio(_, on)) => {
                Either::Tokio(tasks, table.on(on))
            }
            _ => unreachable!("all are of one API"),
        })
    }

    pub fn calls(&self) -> &Calls<Row> {
        match &self.0 {
            Either::Blocking(table) => table.call(),
            Either::Tokio(_, table) => table.call(),
        }
    }

    pub fn returning(&self, when: When) -> handlersocket2::ReturningCalls {
        self.calls().returning(when)
    }

    pub fn range(&self, range: Range) -> Result<Vec<Row>> {
        match &self.0 {
            Either::Blocking(table) => table.range(range).collect(),
            Either::Tokio(tasks, table) => tasks.block_on(async {
                let mut rows = table.range(range);
                let mut all = Vec::new();
                while let Some(row) = rows.next().await {
                    all.push(row?);
                }
                Ok(all)
            }),
        }
    }

    pub fn get_many(&self, keys: Vec<handlersocket2::Key>) -> Result<Vec<Option<Row>>> {
        either!(&self.0, table => table.get_many(keys))
    }
}

impl Transaction {
    pub fn commit(self) -> Result<()> {
        either!(self.0, transaction => transaction.commit())
    }

    pub fn rollback(self) -> Result<()> {
        either!(self.0, transaction => transaction.rollback())
    }

    pub fn savepoint(&self, name: &str) -> Result<()> {
        either!(&self.0, transaction => transaction.savepoint(name))
    }

    pub fn rollback_to(&self, name: &str) -> Result<()> {
        either!(&self.0, transaction => transaction.rollback_to(name))
    }

    pub fn pipeline(&self) -> Pipeline {
        Pipeline(at_once!(&self.0, transaction => transaction.pipeline()))
    }
}

impl Pipeline {
    pub fn add<T>(&mut self, call: Call<T>) -> Handle<T> {
        match &mut self.0 {
            Either::Blocking(pipeline) => pipeline.add(call),
            Either::Tokio(_, pipeline) => pipeline.add(call),
        }
    }

    pub fn run(self) -> Results {
        either!(self.0, pipeline => pipeline.run())
    }
}

/// Where single calls are carried out.
pub struct Run<'a> {
    pub api: &'a Api,
    pub transaction: Option<&'a Transaction>,
}

impl Run<'_> {
    pub fn run<T>(&self, call: Call<T>) -> Result<T> {
        match self.transaction {
            Some(transaction) => either!(&transaction.0, transaction => transaction.run(call)),
            None => either!(&self.api.0, client => client.run(call)),
        }
    }
}
