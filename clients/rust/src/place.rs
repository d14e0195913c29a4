use std::mem;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use crate::connection::{Connection, Endpoint};
use crate::runtime::{self, lock, Mode, Slots};
use crate::{Error, Options, Result};

/// An idle connection that was used so short ago hardly ever ended since.
const TRUSTED: Duration = Duration::from_millis(100);

/// A pool of connections to one endpoint.
#[derive(Debug)]
pub(crate) struct Place {
    mode: Mode,
    options: Arc<Options>,
    to: Endpoint,
    slots: Slots,
    idle: Mutex<Idle>,
}

#[derive(Debug, Default)]
struct Idle {
    connections: Vec<(Box<Connection>, Instant)>, // The one that was used last is at the end.
    doubted: Option<Instant>, // A connection has ended then: those that were used before may have, too.
    closed: bool,
    reaper: bool, // Somebody comes to close old ones.
}

impl Idle {
    fn trusts(&self, since: Instant, now: Instant) -> bool {
        let is_doubtful = self.doubted.map_or(false, |at| since <= at);
        !is_doubtful && now.saturating_duration_since(since) < TRUSTED
    }
}

/// A connection that is in use. It goes back to its place, unless it is broken. It is boxed, as it would make
/// all futures large that have a lease, and these are moved with each call.
#[derive(Debug)]
pub(crate) struct Lease {
    place: Arc<Place>,
    connection: Option<Box<Connection>>,
}

impl Place {
    pub(crate) fn new(mode: Mode, options: &Arc<Options>, to: Endpoint) -> Arc<Self> {
        Arc::new(Place {
            mode,
            options: Arc::clone(options),
            to,
            slots: Slots::new(mode, options.pool_size),
            idle: Mutex::default(),
        })
    }

    /// Takes a connection, and waits for one while all are in use. Whether an idle one is still there is
    /// a call of the system: a read, which may be sent again, is not worth it just after another one.
    pub(crate) async fn take(self: &Arc<Self>, change: bool) -> Result<Lease> {
        if !self.slots.acquire(self.options.timeout).await {
            return Err(Error::Timeout { sent: false });
        }
        let mut lease = Lease { place: Arc::clone(self), connection: None };
        while let Some((mut connection, trusted)) = self.pop()? {
            if !change && trusted || connection.is_alive() {
                connection.reused = true;
                lease.connection = Some(connection);
                return Ok(lease);
            }
            connection.broken = true;
        }
        let dialed = Box::pin(Connection::dial(self.mode, &self.options, &self.to)).await?;
        lease.connection = Some(Box::new(dialed));
        Ok(lease)
    }

    /// Takes the connection that was used last, if that was just now. It waits for none.
    pub(crate) fn take_trusted(self: &Arc<Self>, now: Instant) -> Option<Lease> {
        if !self.slots.try_acquire() {
            return None;
        }
        let mut lease = Lease { place: Arc::clone(self), connection: None };
        let mut idle = lock(&self.idle);
        let (_, since) = idle.connections.last()?;
        if idle.trusts(*since, now) {
            let (mut connection, _) = idle.connections.pop()?;
            connection.reused = true;
            lease.connection = Some(connection);
        }
        drop(idle);
        lease.connection.is_some().then(|| lease)
    }

    /// The connection that was used last, and whether that was just now.
    fn pop(&self) -> Result<Option<(Box<Connection>, bool)>> {
        let mut idle = lock(&self.idle);
        if idle.closed {
            return Err(Error::connection("the client is closed", false));
        }
        let last = idle.connections.pop();
        Ok(last.map(|(connection, since)| (connection, idle.trusts(since, Instant::now()))))
    }

    /// Notes that a connection has ended.
    fn doubt(&self) {
        lock(&self.idle).doubted = Some(Instant::now());
    }

    /// Takes the idle connections that have changed something of which the GTID is not known.
    pub(crate) fn take_changed(self: &Arc<Self>) -> Vec<Lease> {
        let mut idle = lock(&self.idle);
        let mut changed = Vec::new();
        for (connection, since) in mem::take(&mut idle.connections) {
            if connection.changed && self.slots.try_acquire() {
                let place = Arc::clone(self);
                changed.push(Lease { place, connection: Some(connection) });
            } else {
                idle.connections.push((connection, since));
            }
        }
        changed
    }

    fn give(self: &Arc<Self>, connection: Box<Connection>) {
        let mut idle = lock(&self.idle);
        let longest = self.options.max_idle;
        if idle.closed {
            return;
        }
        idle.connections.push((connection, Instant::now()));
        if !longest.is_zero() && !mem::replace(&mut idle.reaper, true) {
            come_back(self, longest);
        }
    }

    /// Closes the connections that were not used for too long.
    fn reap(self: &Arc<Self>) {
        let longest = self.options.max_idle;
        let mut idle = lock(&self.idle);
        let old =
            idle.connections.iter().take_while(|(_, since)| since.elapsed() >= longest).count();
        let closed: Vec<_> = idle.connections.drain(..old).collect();
        let oldest = idle.connections.first().map(|(_, since)| since.elapsed());
        idle.reaper = oldest.is_some();
        drop(idle);
        drop(closed);
        if let Some(age) = oldest {
            come_back(self, longest.saturating_sub(age));
        }
    }

    /// Closes all connections that are not in use, and makes no new ones.
    pub(crate) fn close(&self) {
        let mut idle = lock(&self.idle);
        idle.closed = true;
        let closed = mem::take(&mut idle.connections);
        drop(idle);
        drop(closed);
    }

    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.idle).closed
    }
}

fn come_back(place: &Arc<Place>, after: Duration) {
    let weak: Weak<Place> = Arc::downgrade(place);
    runtime::later(place.mode, after, move || {
        if let Some(place) = weak.upgrade() {
            place.reap();
        }
    });
}

impl Deref for Lease {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_deref().expect("it is there until the lease ends")
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut Connection {
        self.connection.as_deref_mut().expect("it is there until the lease ends")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take() {
            if connection.broken {
                self.place.doubt();
            } else {
                self.place.give(connection);
            }
        }
        self.place.slots.release();
    }
}
