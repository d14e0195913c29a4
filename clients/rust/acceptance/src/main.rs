//! Carries out what the acceptance script asks for: see `clients/acceptance/README.md`. With the
//! environment variable `RUST_API=tokio` it uses the asynchronous API.

mod arguments;
mod calls;
mod either;
mod values;

use std::io::{self, BufRead, Write};
use std::thread;
use std::time::Duration;

use handlersocket2::{Error, Port, Result, TransactionOptions};
use serde_json::{json, Value as Json};

use crate::arguments::Arguments;
use crate::either::{Api, Table, Transaction};
use crate::values::{answer, decode_bytes, encode_bytes};

struct Driver {
    api: Option<Api>,
    tables: Vec<Table>,
    transaction: Option<Transaction>,
}

fn main() -> io::Result<()> {
    let mut driver = Driver { api: None, tables: Vec::new(), transaction: None };
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let order: Json = serde_json::from_str(&line?)?;
        let answered = answer(driver.carry_out(&order));
        writeln!(out, "{answered}")?;
        out.flush()?;
    }
    Ok(())
}

/// Of a script that asks for what is not there.
fn nonsense(what: &str) -> Error {
    Error::Value(format!("the driver knows no {what}"))
}

impl Driver {
    fn carry_out(&mut self, order: &Json) -> Result<Json> {
        let text = |name: &str| order[name].as_str().unwrap_or_default();
        match text("do") {
            "connect" => {
                self.close();
                self.api =
                    Some(Api::connect(text("url"), order["hook"] == true, &order["options"])?);
                Ok(Json::Null)
            }
            "close" => {
                self.close();
                Ok(Json::Null)
            }
            "table" => {
                let columns = order["columns"].as_array().map(|names| {
                    names.iter().filter_map(Json::as_str).map(str::to_owned).collect()
                });
                let raw = order["raw"] == json!(true);
                let table = self.api()?.table(text("name"), columns, order["index"].as_str(), raw);
                self.tables.push(table);
                Ok(json!(self.tables.len()))
            }
            "begin" => {
                let isolation = order["isolation"].as_str().map(str::parse).transpose()?;
                let read_only = order["read_only"] == json!(true);
                let options = TransactionOptions { isolation, read_only };
                self.transaction = Some(self.api()?.begin(options)?);
                Ok(Json::Null)
            }
            "commit" => self.end()?.commit().map(|()| Json::Null),
            "rollback" => self.end()?.rollback().map(|()| Json::Null),
            _ => self.share(order),
        }
    }

    fn close(&mut self) {
        self.transaction = None;
        self.tables.clear();
        if let Some(api) = self.api.take() {
            api.close();
        }
    }

    fn end(&mut self) -> Result<Transaction> {
        self.transaction.take().ok_or_else(|| nonsense("transaction"))
    }

    fn api(&self) -> Result<&Api> {
        self.api.as_ref().ok_or_else(|| nonsense("client"))
    }

    /// What threads may do at the same time.
    fn share(&self, order: &Json) -> Result<Json> {
        let api = self.api()?;
        let text = |name: &str| order[name].as_str().unwrap_or_default();
        let transaction = || self.transaction.as_ref().ok_or_else(|| nonsense("transaction"));
        Ok(match text("do") {
            "ping" => json!(api.ping()?),
            "features" => json!(api.features()?),
            "last_gtid" => json!(api.last_gtid()?),
            "wait_for_gtid" => {
                let seconds = order["seconds"].as_f64().unwrap_or_default();
                json!(api.wait_for_gtid(text("gtid"), Duration::from_secs_f64(seconds))?)
            }
            "savepoint" => json!(transaction()?.savepoint(text("name"))?),
            "rollback_to" => json!(transaction()?.rollback_to(text("name"))?),
            "describe" => api.describe(text("name"))?,
            "indexes" => api.indexes(text("name"))?,
            "raw" => self.raw(order)?,
            "pipeline" => self.pipeline(order)?,
            "threads" => self.threads(order)?,
            _ => {
                let table = self.table(order)?;
                let run = either::Run { api, transaction: self.transaction.as_ref() };
                calls::carry_out(&run, &table, text("do"), &Arguments(&order["args"]))?
            }
        })
    }

    fn table(&self, order: &Json) -> Result<Table> {
        let number = order["table"].as_u64().unwrap_or_default() as usize;
        let table = number.checked_sub(1).and_then(|place| self.tables.get(place));
        let table = table.ok_or_else(|| nonsense("such table"))?;
        Ok(match &self.transaction {
            Some(transaction) => table.on(transaction),
            None => table.clone(),
        })
    }

    fn raw(&self, order: &Json) -> Result<Json> {
        let port = match order["port"].as_str() {
            Some("read") => Port::Read,
            Some("write") => Port::Write,
            _ => return Err(nonsense("such port")),
        };
        let tokens: Vec<Vec<u8>> =
            order["tokens"].as_array().into_iter().flatten().map(decode_bytes).collect();
        let tokens: Vec<&[u8]> = tokens.iter().map(Vec::as_slice).collect();
        let reply = self.api()?.raw(port, &tokens)?;
        let mut all = vec![json!(reply.code), json!(reply.columns)];
        all.extend(reply.values.into_iter().map(|value| match value.map(String::from_utf8) {
            None => Json::Null,
            Some(Ok(text)) => json!(text),
            Some(Err(error)) => encode_bytes(error.as_bytes()),
        }));
        Ok(json!(all))
    }

    fn pipeline(&self, order: &Json) -> Result<Json> {
        let mut pipeline = match &self.transaction {
            Some(transaction) => transaction.pipeline(),
            None => self.api()?.pipeline(),
        };
        let mut takers = Vec::new();
        for call in order["calls"].as_array().into_iter().flatten() {
            let table = self.table(call)?;
            let name = call["do"].as_str().unwrap_or_default();
            takers.push(calls::add(&mut pipeline, &table, name, &Arguments(&call["args"])));
        }
        let mut results = pipeline.run();
        let answers = takers.into_iter().map(|taker| answer(taker.and_then(|t| t(&mut results))));
        Ok(answers.collect())
    }

    fn threads(&self, order: &Json) -> Result<Json> {
        let count = order["count"].as_u64().unwrap_or_default();
        let calls = order["calls"].as_array().ok_or_else(|| nonsense("calls"))?;
        let work = || -> Vec<Json> { calls.iter().map(|call| answer(self.share(call))).collect() };
        Ok(thread::scope(|scope| {
            let mut threads = Vec::new();
            for _ in 0..count {
                threads.push(scope.spawn(work));
            }
            threads.into_iter().map(|thread| json!(thread.join().expect("it ends"))).collect()
        }))
    }
}
