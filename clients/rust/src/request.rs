use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::indexes::Spec;
use crate::layout::Shape;
use crate::protocol::Reply;
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
        Expect::Rows { columns, most: usize::MAX }
    }

    fn is_met(&self, reply: &Reply) -> bool {
        let number = |place| reply.value(place).and_then(number);
        let is_row = |values| reply.columns() == values && reply.len() == values;
        match self {
            Expect::Anything => true,
            Expect::Nothing => reply.is_empty(),
            Expect::Rows { columns, most } => reply.columns() == *columns && reply.rows() <= *most,
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

/// What is the same in all requests for the same columns of a table.
#[derive(Debug, Default)]
pub(crate) struct About {
    pub table: Arc<TableName>,
    /// What P says behind the id; `None`: the line needs no index.
    pub spec: Option<Spec>,
    /// What a reply is read by.
    pub shape: Shape,
}

/// The bytes of a line. A short one, as that of a find by a number is, has no memory of its own.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Short(u8, [u8; SHORT]),
    Long(Vec<u8>),
}

const SHORT: usize = 30;

impl Body {
    /// Leaves the bytes to be used for another line, or takes them.
    pub(crate) fn take(bytes: &mut Vec<u8>) -> Self {
        if bytes.len() > SHORT {
            return Body::Long(std::mem::take(bytes));
        }
        let mut short = [0; SHORT];
        short[..bytes.len()].copy_from_slice(bytes);
        Body::Short(bytes.len() as u8, short)
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Body::Short(length, bytes) => &bytes[..usize::from(*length)],
            Body::Long(bytes) => bytes,
        }
    }
}

/// One line for the server.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The call's name, for the hook.
    pub kind: &'static str,
    pub about: Arc<About>,
    /// The line without the id and without its end.
    pub body: Body,
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
            about: Arc::default(),
            body: Body::Long(line),
            needs,
            change: false,
            raw: false,
            expect: Expect::Anything,
            patience: Duration::ZERO,
        }
    }

    /// Whether a reply that is no error can be one to this request.
    pub(crate) fn is_met(&self, reply: &Reply) -> bool {
        self.expect.is_met(reply) && self.about.shape.fits(reply)
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
