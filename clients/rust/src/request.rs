use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::protocol::{Kind, Reply};
use crate::{Error, Result};

/// What a reply that is no error must be. Another one is a reply to something else.
#[derive(Debug, Clone)]
pub(crate) enum Expect {
    Anything,
    Nothing,
    /// Rows of so many columns, and so many of them at most.
    Rows {
        columns: usize,
        most: usize,
        /// Those of the first columns, where they are known.
        kinds: Option<Arc<[Kind]>>,
    },
    /// One number.
    Count,
    /// A number from one to another, and maybe an id.
    Added(u64, u64),
    /// One number or none.
    Id,
}

impl Expect {
    pub(crate) fn rows(columns: usize) -> Self {
        Expect::Rows { columns, most: usize::MAX, kinds: None }
    }

    pub(crate) fn is_met(&self, reply: &Reply) -> bool {
        let number = |place| reply.value(place).and_then(number);
        let is_row = |values| reply.columns() == values && reply.len() == values;
        match self {
            Expect::Anything => true,
            Expect::Nothing => reply.is_empty(),
            Expect::Rows { columns, most, kinds } => {
                reply.columns() == *columns
                    && reply.rows() <= *most
                    && kinds.as_ref().map_or(true, |kinds| has_kinds(reply, kinds))
            }
            Expect::Count => is_row(1) && number(0).is_some(),
            Expect::Added(lowest, highest) => {
                (is_row(1) || is_row(2) && number(1).is_some())
                    && number(0).map_or(false, |number| (*lowest..=*highest).contains(&number))
            }
            Expect::Id => {
                is_row(1) && number(0).is_some() || reply.columns() == 1 && reply.is_empty()
            }
        }
    }

    /// The most values that such a reply has.
    pub(crate) fn most_values(&self) -> usize {
        match self {
            Expect::Anything => usize::MAX,
            Expect::Rows { columns, most, .. } => columns.saturating_mul(*most),
            Expect::Nothing | Expect::Count | Expect::Added(..) | Expect::Id => 2,
        }
    }
}

fn number(value: &[u8]) -> Option<u64> {
    let digits = value.iter().all(u8::is_ascii_digit); // A parser takes a sign, too.
    std::str::from_utf8(value).ok().filter(|_| digits)?.parse().ok()
}

fn has_kinds(reply: &Reply, kinds: &[Kind]) -> bool {
    let row = |row: usize| {
        let value = |place| reply.value(row * reply.columns() + place);
        kinds.iter().enumerate().all(|(place, kind)| value(place).map_or(true, |v| kind.holds(v)))
    };
    !kinds.iter().any(|kind| kind.is_number()) || (0..reply.rows()).all(row)
}

/// The name of a table, of a database, or of neither.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TableName {
    pub database: String,
    pub table: String,
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dot = if self.table.is_empty() { "" } else { "." };
        write!(f, "{}{dot}{}", self.database, self.table)
    }
}

impl fmt::Debug for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// One line for the server.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The call's name, for the hook.
    pub kind: &'static str,
    pub table: Arc<TableName>,
    /// What P says behind the id; `None`: the line needs no index.
    pub spec: Option<Arc<[u8]>>,
    /// The line without the id and without its end.
    pub body: Vec<u8>,
    /// A feature without which it is not sent; empty: none.
    pub needs: &'static str,
    /// Whether it may change something.
    pub change: bool,
    /// An error is a reply, too.
    pub raw: bool,
    pub expect: Expect,
    /// What the server may wait beyond the timeout.
    pub patience: Duration,
}

impl Request {
    /// A request without an index, of a line with its end.
    pub(crate) fn of_line(kind: &'static str, mut line: Vec<u8>, needs: &'static str) -> Self {
        line.pop();
        Request {
            kind,
            table: Arc::default(),
            spec: None,
            body: line,
            needs,
            change: false,
            raw: false,
            expect: Expect::Anything,
            patience: Duration::ZERO,
        }
    }
}

/// What became of requests, in their order.
#[derive(Debug)]
pub(crate) struct Answers {
    pub results: Vec<Result<Reply>>,
    /// The connection's error, if it broke.
    pub failure: Option<Error>,
}

impl Answers {
    /// The requests that have no answer get the connection's error.
    pub(crate) fn new(mut results: Vec<Result<Reply>>, end: Result<()>, count: usize) -> Self {
        let failure = end.err();
        if let Some(error) = &failure {
            results.resize(count, Err(error.clone()));
        }
        Answers { results, failure }
    }

    /// The answer to the only request.
    pub(crate) fn only(mut self) -> Result<Reply> {
        self.results.pop().unwrap_or_else(|| Err(Error::protocol("there is no answer")))
    }
}
