use std::sync::Arc;

use crate::describe::IndexInfo;
use crate::layout::{Column, Layout};
use crate::protocol::{Kind, Reply};
use crate::query::Query;
use crate::{Error, Key, Result, Value};

/// The index that a range goes along.
#[derive(Debug)]
pub(crate) struct RangeIndex {
    parts: Vec<Part>,
    columns: Arc<Vec<String>>,
}

#[derive(Debug)]
struct Part {
    info: IndexInfo,
    column: Column,
    place: usize, // In a reply.
}

/// Rows behind one another whose keys are the same bytes.
#[derive(Debug)]
pub(crate) struct Run {
    pub key: Key,
    pub rows: u32,
}

impl RangeIndex {
    /// An index without columns is none.
    pub(crate) fn new(infos: Vec<IndexInfo>, layout: &Layout, wanted: &[String]) -> Self {
        let mut columns = wanted.to_vec();
        let mut parts = Vec::with_capacity(infos.len());
        for info in infos {
            let place = columns.iter().position(|name| *name == info.column);
            let place = place.unwrap_or_else(|| {
                columns.push(info.column.clone());
                columns.len() - 1
            });
            let column = layout.column(&info.column).cloned().unwrap_or_else(unknown);
            parts.push(Part { info, column, place });
        }
        RangeIndex { parts, columns: Arc::new(columns) }
    }

    /// Whether these are its columns.
    pub(crate) fn is_of(&self, infos: &[IndexInfo]) -> bool {
        self.parts.iter().map(|part| &part.info).eq(infos)
    }

    /// The columns to read: those that are wanted, and the index's own.
    pub(crate) fn columns(&self) -> Arc<Vec<String>> {
        Arc::clone(&self.columns)
    }

    pub(crate) fn first_column(&self) -> &str {
        &self.parts[0].info.column
    }

    fn descends(&self) -> bool {
        self.parts[0].info.direction.as_deref() == Some("D")
    }

    /// Adds the filter that ends a range. An index of the beginnings of a column has not the order of
    /// whole values, so there it does not end the search.
    pub(crate) fn end(&self, query: Query, reverse: bool, stop: Value) -> Query {
        let op = if reverse == self.descends() { "<" } else { ">" };
        match self.parts[0].info.prefix_length {
            Some(_) => query.filter(self.first_column(), op, stop),
            None => query.take_while(self.first_column(), op, stop),
        }
    }

    /// The runs of a reply from its end on: as many as may have the key of the last row.
    pub(crate) fn runs(&self, reply: &Reply) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for row in (0..reply.rows()).rev() {
            let key = self.key(reply, row);
            match runs.last_mut() {
                Some(last) if last.key == key => {
                    last.rows += 1;
                    continue;
                }
                Some(_) if !self.has_same() => return runs,
                _ => {}
            }
            runs.push(Run { key, rows: 1 });
            if runs.len() == 1 && self.is_unique(&runs[0].key) {
                return runs;
            }
        }
        runs
    }

    /// The key of a row.
    pub(crate) fn key(&self, reply: &Reply, row: usize) -> Key {
        let value = |part: &Part| match reply.value(row * reply.columns() + part.place) {
            None => Value::Null,
            Some(bytes) => Value::Bytes(bytes.to_vec()),
        };
        Key(self.parts.iter().map(value).collect())
    }

    /// Whether a page can begin with a row's key. The text of a column of which the index has only a
    /// beginning, of a FLOAT, and of a TIMESTAMP at night, when clocks may be set back, does not tell
    /// the place in the index.
    pub(crate) fn can_begin(&self, key: &Key) -> bool {
        self.parts.iter().zip(&key.0).all(|(part, value)| {
            let uncertain = match part.column.type_name.as_str() {
                "float" => true,
                "timestamp" => is_night(value),
                _ => false,
            };
            part.info.prefix_length.is_none() && !uncertain
        })
    }

    /// Whether one row at most has this key.
    pub(crate) fn is_unique(&self, key: &Key) -> bool {
        let mut parts = self.parts.iter().zip(&key.0);
        parts.all(|(part, value)| part.info.unique && !value.is_null())
    }

    /// Whether values of other bytes may be the same: texts, and the zeros of DOUBLE.
    pub(crate) fn has_same(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.column.kind, Kind::Text | Kind::Float))
    }

    /// Filters for rows whose index columns have these values.
    pub(crate) fn equals(&self, key: &Key) -> Query {
        let parts = self.parts.iter().zip(&key.0);
        parts.fold(Query::new(), |query, (part, value)| {
            query.filter(&part.info.column, "=", value.clone())
        })
    }

    /// A value below which the first column has none. A NULL sorts first, but finds nothing where there
    /// can be none. Some texts sort before the empty one.
    pub(crate) fn lowest(&self) -> Result<Value> {
        let first = &self.parts[0];
        if self.descends() {
            let what = "a range over an index that goes downwards needs its beginning";
            return Err(Error::value(what));
        }
        if first.column.nullable {
            return Ok(Value::Null);
        }
        let least = match (first.column.kind, first.column.type_name.as_str()) {
            (Kind::Integer | Kind::Float | Kind::Decimal, _) => "-1e309",
            (Kind::Date, _) => "0000-00-00",
            (Kind::DateTime, _) => "0000-00-00 00:00:00",
            (Kind::Time, _) => "-838:59:59.999999",
            (_, "uuid") => "00000000-0000-0000-0000-000000000000",
            (_, "inet4") => "0.0.0.0",
            (_, "inet6") => "::",
            _ => "",
        };
        Ok(least.into())
    }

    /// Whether the index begins with text, of which some may sort before the empty one.
    pub(crate) fn begins_with_text(&self) -> bool {
        self.parts[0].column.kind == Kind::Text
    }
}

fn unknown() -> Column {
    Column { kind: Kind::Text, nullable: false, type_name: String::new() }
}

/// Whether a TIMESTAMP is from 22:00 to 03:59.
fn is_night(timestamp: &Value) -> bool {
    let hour = match timestamp {
        Value::Bytes(text) => text.get(11..13).map(|hour| (hour[0], hour[1])),
        _ => None,
    };
    matches!(hour, Some((b'0', b'0'..=b'3') | (b'2', b'2'..=b'3')))
}
