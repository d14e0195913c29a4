use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::core::Core;
use crate::gtids;
use crate::place::Lease;
use crate::protocol::{self, Isolation};
use crate::request::{Answers, Expect, Request};
use crate::runtime::{lock, Deadline};
use crate::{Error, Result};

/// How a transaction reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TransactionOptions {
    /// `None`: as the server is set.
    pub isolation: Option<Isolation>,
    /// One view of the data over many reads. It goes to the read port.
    pub read_only: bool,
}

/// A transaction, with a connection of its own, for one call at a time.
#[derive(Debug)]
pub(crate) struct Session {
    core: Arc<Core>,
    state: Mutex<State>,
    changed: AtomicBool,
}

#[derive(Debug)]
enum State {
    Free(Box<Lease>),
    Busy,
    Broken,
    Ended,
}

impl Session {
    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(crate) async fn begin(core: &Arc<Core>, options: TransactionOptions) -> Result<Arc<Self>> {
        let mut line = Vec::new();
        protocol::begin(&mut line, options.isolation, options.read_only);
        let mut attempt = 0;
        loop {
            let error = match Self::try_begin(core, options.read_only, line.clone()).await {
                Ok(session) => return Ok(session),
                Err(error) => error,
            };
            if !core.is_repeatable(&error, false) || attempt >= core.options.retries {
                return Err(error);
            }
            core.pause(attempt).await;
            attempt += 1;
        }
    }

    async fn try_begin(core: &Arc<Core>, read_only: bool, line: Vec<u8>) -> Result<Arc<Self>> {
        let lease = match read_only {
            true => core.read.take(true).await?,
            false => core.take_write().await?,
        };
        let session = Session {
            core: Arc::clone(core),
            state: Mutex::new(State::Free(Box::new(lease))),
            changed: AtomicBool::new(false),
        };
        // What fails loses what would follow on this connection.
        session.step("begin", line).await.map_err(|error| {
            session.abandon();
            error
        })?;
        Ok(Arc::new(session))
    }

    /// Carries out one line of the transaction itself.
    pub(crate) async fn step(&self, kind: &'static str, line: Vec<u8>) -> Result<()> {
        let began = self.core.begin();
        let mut request = Request::of_line(kind, line, "transaction");
        request.expect = Expect::Nothing;
        let answer = self.execute(std::slice::from_ref(&request)).await.only();
        let result = answer.map(|_| ());
        self.core.settle(kind, &request.about.table, result.as_ref().err(), began);
        result
    }

    /// Carries requests out, each once.
    pub(crate) async fn execute(&self, requests: &[Request]) -> Answers {
        let mut results = Vec::with_capacity(requests.len());
        let end = self.converse(requests, &mut results).await;
        let of_change = |place: usize| requests[place].change;
        if (0..results.len()).any(of_change) {
            self.changed.store(true, Ordering::Relaxed);
        }
        Answers::new(results, end, requests.len())
    }

    async fn converse(
        &self,
        requests: &[Request],
        results: &mut Vec<Result<protocol::Reply>>,
    ) -> Result<()> {
        let mut lease = self.take()?;
        let extra: Duration = requests.iter().map(|request| request.patience).sum();
        let deadline = Deadline::after(self.core.options.patience(extra));
        let end = lease.exchange(requests, deadline, results).await;
        let mut state = lock(&self.state);
        *state = if lease.broken { State::Broken } else { State::Free(lease) };
        end
    }

    /// Takes the connection for one call. A call that is given up leaves none.
    fn take(&self) -> Result<Box<Lease>> {
        let mut state = lock(&self.state);
        match mem::replace(&mut *state, State::Busy) {
            State::Free(lease) => Ok(lease),
            State::Busy => Err(Error::value("a transaction is for one call at a time")),
            other => {
                let ended = matches!(other, State::Ended);
                *state = other;
                Err(Error::connection(
                    match ended {
                        true => "the transaction has ended",
                        false => "the transaction's connection broke",
                    },
                    false,
                ))
            }
        }
    }

    pub(crate) async fn commit(&self) -> Result<()> {
        let mut line = Vec::new();
        protocol::commit(&mut line);
        let result = self.step("commit", line).await;
        let wanted = self.core.options.read_your_writes && self.changed.load(Ordering::Relaxed);
        if result.is_ok() && wanted {
            // The commit is done, whatever becomes of this.
            if let Ok(reply) = self.execute(&[gtids::question()]).await.only() {
                self.core.gtids.learn(&reply);
            }
        }
        self.end();
        result
    }

    pub(crate) async fn rollback(&self) -> Result<()> {
        let mut line = Vec::new();
        protocol::rollback(&mut line);
        let result = self.step("rollback", line).await;
        match &result {
            Ok(()) => self.end(),
            Err(_) => self.abandon(),
        }
        result
    }

    pub(crate) async fn savepoint(&self, name: &str) -> Result<()> {
        let mut line = Vec::new();
        protocol::savepoint(&mut line, name)?;
        self.step("savepoint", line).await
    }

    pub(crate) async fn rollback_to(&self, name: &str) -> Result<()> {
        let mut line = Vec::new();
        protocol::rollback_to(&mut line, name)?;
        self.step("rollback_to", line).await
    }

    fn end(&self) {
        *lock(&self.state) = State::Ended;
    }

    /// Ends a transaction that was not ended, by its connection's end: the server rolls back.
    pub(crate) fn abandon(&self) {
        let state = mem::replace(&mut *lock(&self.state), State::Ended);
        if let State::Free(mut lease) = state {
            lease.broken = true;
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.abandon(); // So that no connection with an open transaction goes back to its place.
    }
}
