//! The arguments of a call, by their names in the contract.

use handlersocket2::{Key, Query, Range, Row, Value};
use serde_json::Value as Json;

use crate::values::{decode, decode_row};

pub struct Arguments<'a>(pub &'a Json);

fn list(value: &Json) -> Vec<Value> {
    match value.as_array() {
        Some(values) => values.iter().map(decode).collect(),
        None => vec![decode(value)],
    }
}

impl<'a> Arguments<'a> {
    pub fn key(&self) -> Key {
        list(&self.0["key"]).into()
    }

    pub fn keys(&self) -> Vec<Key> {
        self.0["keys"].as_array().into_iter().flatten().map(|key| list(key).into()).collect()
    }

    pub fn values(&self) -> Vec<Value> {
        list(&self.0["values"])
    }

    pub fn text(&self, name: &str) -> Option<&'a str> {
        self.0[name].as_str()
    }

    pub fn op(&self) -> &'a str {
        self.text("op").unwrap_or("=")
    }

    pub fn row(&self, name: &str) -> Row {
        decode_row(&self.0[name])
    }

    pub fn update(&self) -> Option<Row> {
        Some(&self.0["update"]).filter(|update| !update.is_null()).map(decode_row)
    }

    /// Column, operator, value, and whether the filter ends the search.
    fn filters(&self) -> impl Iterator<Item = (&'a str, &'a str, Value, bool)> {
        self.0["filters"].as_array().into_iter().flatten().map(|filter| {
            let text = |place: usize| filter[place].as_str().unwrap_or_default();
            (text(0), text(1), decode(&filter[2]), text(3) == "while")
        })
    }

    pub fn query(&self) -> Query {
        let mut query = Query::new();
        if let Some(limit) = self.0["limit"].as_i64() {
            query = query.limit(limit);
        }
        if let Some(offset) = self.0["offset"].as_i64() {
            query = query.offset(offset);
        }
        for (column, op, value, ends) in self.filters() {
            query = match ends {
                true => query.take_while(column, op, value),
                false => query.filter(column, op, value),
            };
        }
        if let Some(column) = self.0["in"]["column"].as_str() {
            query = query.within(column, list(&self.0["in"]["values"]));
        }
        match self.text("op") {
            Some(op) => query.op(op),
            None => query,
        }
    }

    pub fn range(&self) -> Range {
        let mut range = Range::new();
        if !self.0["start"].is_null() {
            range = range.start(list(&self.0["start"]));
        }
        if let Some(stop) = list(&self.0["stop"]).into_iter().next().filter(|stop| !stop.is_null())
        {
            range = range.stop(stop);
        }
        if self.0["reverse"] == true {
            range = range.reverse();
        }
        if let Some(page) = self.0["page"].as_i64() {
            range = range.page(page);
        }
        for (column, op, value, ends) in self.filters() {
            range = match ends {
                true => range.take_while(column, op, value),
                false => range.filter(column, op, value),
            };
        }
        range
    }
}
