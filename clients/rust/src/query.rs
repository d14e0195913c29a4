use crate::protocol;
use crate::{Error, Key, Result, Value};

/// What a call adds to its key: limit, offset, filters, a list of values.
///
/// ```
/// # use handlersocket2::Query;
/// let query = Query::new().limit(10).offset(5).filter("user_name", "!=", "x");
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Query {
    pub(crate) op: Option<String>,
    limit: Option<Bounded>,
    offset: Option<Bounded>,
    filters: Vec<Filter>,
    within: Option<Box<Within>>, // It is seldom there.
}

/// A number of the protocol, or one that is none.
type Bounded = Option<u32>;

#[derive(Debug, Clone)]
struct Filter {
    kind: &'static str,
    column: String,
    op: String,
    value: Value,
}

#[derive(Debug, Clone)]
struct Within {
    column: String,
    values: Vec<Value>,
    all: bool,
}

/// That of a call that has none.
pub(crate) static NONE: Query =
    Query { op: None, limit: None, offset: None, filters: Vec::new(), within: None };

impl Query {
    /// Adds nothing yet.
    pub fn new() -> Self {
        Query::default()
    }

    /// Bounds the rows, from 0 to 4294967295. Without it there is one, or for a count no bound.
    pub fn limit(mut self, rows: impl TryInto<u32>) -> Self {
        self.limit = Some(rows.try_into().ok());
        self
    }

    /// Skips rows first, from 0 to 4294967295.
    pub fn offset(mut self, rows: impl TryInto<u32>) -> Self {
        self.offset = Some(rows.try_into().ok());
        self
    }

    /// Skips rows for which the comparison does not hold: `=` `!=` `>` `>=` `<` `<=`.
    pub fn filter(self, column: &str, op: &str, value: impl Into<Value>) -> Self {
        self.compare("F", column, op, value.into())
    }

    /// Ends the search at the first row for which the comparison does not hold.
    pub fn take_while(self, column: &str, op: &str, value: impl Into<Value>) -> Self {
        self.compare("W", column, op, value.into())
    }

    fn compare(mut self, kind: &'static str, column: &str, op: &str, value: Value) -> Self {
        self.filters.push(Filter { kind, column: column.to_owned(), op: op.to_owned(), value });
        self
    }

    /// Finds one row for each of the values, which take the place of that column's value in the key.
    pub fn within<V: Into<Value>>(self, column: &str, values: impl IntoIterator<Item = V>) -> Self {
        self.list(column, values, false)
    }

    pub(crate) fn list<V: Into<Value>>(
        mut self,
        column: &str,
        values: impl IntoIterator<Item = V>,
        all: bool,
    ) -> Self {
        let values = values.into_iter().map(Into::into).collect();
        self.within = Some(Box::new(Within { column: column.to_owned(), values, all }));
        self
    }

    /// The operator of an update, a delete or an increment; without it, it is `=`.
    pub fn op(mut self, op: &str) -> Self {
        self.op = Some(op.to_owned());
        self
    }

    /// The column whose place in the index must be known.
    pub(crate) fn list_column(&self) -> Option<&str> {
        self.within.as_ref().map(|within| within.column.as_str())
    }

    /// How many rows a find has at most. With a list the limit is not for all of them.
    pub(crate) fn most_rows(&self) -> usize {
        match self.limit {
            _ if self.list_column().is_some() => usize::MAX,
            Some(Some(limit)) if limit > 1 => limit as usize,
            _ => 1,
        }
    }

    /// The columns that are compared, each once.
    pub(crate) fn filter_columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = Vec::new();
        for filter in &self.filters {
            if !columns.contains(&filter.column) {
                columns.push(filter.column.clone());
            }
        }
        columns
    }

    /// A feature without which the server cannot do this; empty: none.
    pub(crate) fn needs(&self) -> &'static str {
        if self.within.as_ref().map_or(false, |within| within.all) {
            "all"
        } else if self.op.as_deref() == Some("=<") {
            "descending"
        } else {
            ""
        }
    }

    /// Appends the request. `part` is the place of the list's column in the index.
    pub(crate) fn append(
        &self,
        out: &mut Vec<u8>,
        key: &Key,
        verb: &str,
        values: &[Value],
        part: u32,
    ) -> Result<()> {
        let columns = self.filter_columns();
        let place = |name: &String| columns.iter().position(|column| column == name);
        let filters: Vec<protocol::Filter<'_>> = self
            .filters
            .iter()
            .map(|filter| protocol::Filter {
                kind: filter.kind,
                op: &filter.op,
                column: place(&filter.column).unwrap_or_default() as u32,
                value: &filter.value,
            })
            .collect();
        let none = |what| Error::value(format!("the {what} is no number from 0 to 4294967295"));
        let without = Some(u32::from(verb != "C")); // A count without a limit counts all.
        let find = protocol::Find {
            op: self.op.as_deref().unwrap_or("="),
            key: &key.0,
            limit: self.limit.unwrap_or(without).ok_or_else(|| none("limit"))?,
            offset: self.offset.unwrap_or(Some(0)).ok_or_else(|| none("offset"))?,
            within: self.within.as_ref().map(|within| protocol::In {
                part,
                values: &within.values,
                all: within.all,
            }),
            filters: &filters,
            verb,
            values,
        };
        find.append(out)
    }
}
