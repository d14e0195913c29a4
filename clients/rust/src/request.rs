use std::sync::Arc;
use std::time::Duration;

use crate::protocol::Reply;
use crate::{Error, Result};

/// What a reply that is no error must be. Another one is a reply to something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    Anything,
    /// Rows of so many columns.
    Rows(usize),
    /// One row of one to so many numbers.
    Numbers(usize),
    /// One number or none.
    Id,
}

impl Expect {
    pub(crate) fn is_met(self, reply: &Reply) -> bool {
        let are_numbers = |most| {
            let values = reply.len();
            let digits = |value: Option<&[u8]>| value.map_or(false, is_number);
            values <= most && reply.columns() == values.max(1) && reply.values().all(digits)
        };
        match self {
            Expect::Anything => true,
            Expect::Rows(columns) => reply.columns() == columns,
            Expect::Numbers(most) => !reply.is_empty() && are_numbers(most),
            Expect::Id => are_numbers(1),
        }
    }
}

fn is_number(value: &[u8]) -> bool {
    const LONGEST: usize = 20; // Of 64 bits.
    (1..=LONGEST).contains(&value.len()) && value.iter().all(u8::is_ascii_digit)
}

/// One line for the server.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The call's name, for the hook.
    pub kind: &'static str,
    /// Database and table, for the hook; may be empty.
    pub table: Arc<str>,
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
            table: "".into(),
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
