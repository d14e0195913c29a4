use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::connection::{Address, Endpoint};
use crate::gtids::{self, Gtids};
use crate::layout::Layouts;
use crate::options::{split_address, Event};
use crate::place::{Lease, Place};
use crate::protocol::{self, Reply};
use crate::request::{Answers, Request, TableName};
use crate::runtime::{self, Deadline, Mode};
use crate::{Error, ErrorKind, Options, Result};

/// What both kinds of clients are made of: a pool for each place, and what is known of the server.
#[derive(Debug)]
pub(crate) struct Core {
    pub mode: Mode,
    pub options: Arc<Options>,
    pub read: Arc<Place>,
    write: Option<Arc<Place>>,
    pub replicas: Vec<Arc<Place>>,
    turn: AtomicUsize,
    pub layouts: Layouts,
    pub gtids: Gtids,
}

impl Core {
    pub(crate) fn open(mode: Mode, options: Options) -> Result<Arc<Self>> {
        options.check()?;
        let options = Arc::new(options);
        let place = |address, secret: &Option<String>| {
            let secret = secret.clone().filter(|secret| !secret.is_empty());
            Place::new(mode, &options, Endpoint { address, secret })
        };
        let tcp = |port| Address::Tcp(options.host.clone(), port);
        let write_secret = options.write_secret.as_ref().filter(|secret| !secret.is_empty());
        let write_secret = write_secret.or(options.secret.as_ref()).cloned();
        let (read, write) = match (&options.socket, &options.write_socket) {
            (Some(socket), write) => {
                (Address::Unix(socket.clone()), write.clone().map(Address::Unix))
            }
            (None, Some(write)) => (tcp(options.port), Some(Address::Unix(write.clone()))),
            (None, None) => (tcp(options.port), Some(tcp(options.write_port))),
        };
        let mut replicas = Vec::new();
        for replica in &options.replicas {
            let (host, port) = split_address(replica).ok_or_else(|| {
                Error::configuration("replicas", format!("{replica:?} is not host:port"))
            })?;
            replicas.push(place(Address::Tcp(host.to_owned(), port), &options.secret));
        }
        Ok(Arc::new(Core {
            mode,
            read: place(read, &options.secret),
            write: write.map(|address| place(address, &write_secret)),
            replicas,
            turn: AtomicUsize::new(0),
            layouts: Layouts::default(),
            gtids: Gtids::default(),
            options,
        }))
    }

    pub(crate) fn close(&self) {
        for place in self.replicas.iter().chain(&self.write).chain([&self.read]) {
            place.close();
        }
    }

    /// Carries requests out. When there is a change among them, all go to the write port. A first attempt may
    /// have been lost before.
    pub(crate) async fn execute(&self, requests: &[Request], mut lost: Option<Error>) -> Answers {
        let change = requests.iter().any(|request| request.change);
        let mut results = Vec::with_capacity(requests.len());
        let mut attempt = 0;
        let end = loop {
            let error = match lost.take() {
                Some(error) => error,
                None => match self.attempt(requests, change, &mut results).await {
                    Ok(()) => break Ok(()),
                    Err(error) => error,
                },
            };
            if !self.is_repeatable(&error, change) || attempt >= self.options.retries {
                break Err(error);
            }
            self.pause(attempt).await;
            attempt += 1;
        };
        Answers::new(results, end, requests.len())
    }

    /// Only a broken connection is tried again, neither a timeout nor what is no reply. What may have been
    /// carried out is sent again only if it changes nothing.
    pub(crate) fn is_repeatable(&self, error: &Error, change: bool) -> bool {
        match error {
            Error::Connection { sent, .. } => !(*sent && change || self.read.is_closed()),
            _ => false,
        }
    }

    /// Waits before a reconnect, with full jitter.
    pub(crate) async fn pause(&self, attempt: u32) {
        let longest = 50u64.saturating_mul(1 << attempt.min(10)).min(2_000);
        runtime::sleep(self.mode, Duration::from_millis(longest).mul_f64(random())).await;
    }

    /// Sends the requests that have no result yet once.
    async fn attempt(
        &self,
        requests: &[Request],
        change: bool,
        results: &mut Vec<Result<Reply>>,
    ) -> Result<()> {
        loop {
            let mut lease = self.take(change).await?;
            let before = results.len();
            let rest = &requests[before..];
            let error = match Box::pin(self.converse(&mut lease, rest, change, results)).await {
                Ok(()) => return Ok(()),
                Err(error) => error,
            };
            let answered = results.len() > before;
            let sent = error.sent() == Some(true) || answered;
            if lease.reused && !sent && self.is_repeatable(&error, change) {
                continue; // It was closed while it was idle.
            }
            return Err(if answered { error.with_sent(true) } else { error });
        }
    }

    async fn converse(
        &self,
        lease: &mut Lease,
        requests: &[Request],
        change: bool,
        results: &mut Vec<Result<Reply>>,
    ) -> Result<()> {
        let extra = requests.iter().map(|request| request.patience).sum();
        let deadline = Deadline::after(self.options.patience(extra));
        if !(change && self.options.read_your_writes) {
            return lease.exchange(requests, deadline, results).await;
        }
        let asking = [requests, &[gtids::question()]].concat();
        let all = results.len() + requests.len();
        let end = lease.exchange(&asking, deadline, results).await;
        if results.len() > all {
            if let Some(Ok(reply)) = results.pop() {
                self.gtids.learn(&reply);
            }
        }
        if results.len() == all {
            return Ok(()); // Whatever became of the question behind them.
        }
        end
    }

    /// A connection for changes.
    pub(crate) async fn take_write(&self) -> Result<Lease> {
        match &self.write {
            Some(place) => place.take(true).await,
            None => Err(Error::configuration("write_socket", "it is missing")),
        }
    }

    async fn take(&self, change: bool) -> Result<Lease> {
        if change {
            return self.take_write().await;
        }
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        for place in 0..self.replicas.len() {
            let replica = &self.replicas[first.wrapping_add(place) % self.replicas.len()];
            if let Ok(mut lease) = replica.take(false).await {
                if Box::pin(self.is_fresh(&mut lease)).await {
                    return Ok(lease);
                }
            }
        }
        self.read.take(false).await
    }

    /// Whether a replica has the client's own last change.
    async fn is_fresh(&self, replica: &mut Lease) -> bool {
        if !self.options.read_your_writes {
            return true;
        }
        let wanted = self.gtids.list();
        if wanted.is_empty() || wanted == replica.applied {
            return true;
        }
        let limit = self.options.gtid_timeout;
        let mut line = Vec::new();
        let made = protocol::wait_gtid(&mut line, &wanted, limit.as_millis());
        if made.is_err() || !replica.has("gtid") {
            return false;
        }
        let deadline = Deadline::after(self.options.patience(limit));
        match replica.ask(&line, deadline).await {
            Ok(reply) if reply.code() == 0 && reply.value(0) == Some(b"1") => {
                replica.applied = wanted;
                true
            }
            _ => false,
        }
    }

    /// The GTIDs of the client's last changes. A change in a call that has not ended does not count.
    pub(crate) async fn last_gtid(&self) -> Result<String> {
        let changed = self.write.as_ref().map(Place::take_changed).unwrap_or_default();
        let mut end = Ok(());
        for mut lease in changed {
            let mut results = Vec::with_capacity(1);
            let deadline = Deadline::after(self.options.timeout);
            let asked = lease.exchange(&[gtids::question()], deadline, &mut results).await;
            match (asked, results.pop()) {
                (Ok(()), Some(Ok(reply))) => {
                    self.gtids.learn(&reply);
                    lease.changed = false;
                }
                (Err(error), _) | (Ok(()), Some(Err(error))) => end = Err(error),
                (Ok(()), None) => {}
            }
        }
        end.map(|()| self.gtids.list())
    }

    /// When a call begins, if somebody wants to know.
    pub(crate) fn begin(&self) -> Option<Instant> {
        self.options.on_request.as_ref().map(|_| Instant::now())
    }

    /// Calls the hook, and forgets the columns of a table that has been altered.
    pub(crate) fn settle(
        &self,
        kind: &str,
        table: &TableName,
        error: Option<&Error>,
        began: Option<Instant>,
    ) {
        let kind_of_error = error.map(Error::kind);
        if matches!(kind_of_error, Some(ErrorKind::NotFound | ErrorKind::Protocol)) {
            self.layouts.forget(table);
        }
        if let (Some(hook), Some(began)) = (&self.options.on_request, began) {
            let event = Event { kind, table: &table.to_string(), elapsed: began.elapsed(), error };
            // A hook that panics changes nothing of a call that has ended. The panic was shown.
            let _ = catch_unwind(AssertUnwindSafe(|| hook(&event)));
        }
    }
}

/// A number from 0 to 1, from the keys that the standard library makes for its hash maps.
fn random() -> f64 {
    use std::hash::{BuildHasher, Hasher};
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    random as f64 / u64::MAX as f64
}
