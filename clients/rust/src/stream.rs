use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

use crate::runtime::Deadline;
use crate::socket::{Handle, Socket};

/// For what a transport waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    Read,
    Write,
}

/// Why a step of a transport has not come to its end.
#[derive(Debug)]
pub(crate) enum Stuck {
    Wants(Wants),
    Failed(io::Error),
}

/// Bytes as they are, or in TLS.
#[derive(Debug)]
pub(crate) enum Transport {
    Plain(Handle),
    #[cfg(feature = "tls")]
    Tls(Box<crate::tls::TlsStream>),
}

impl Transport {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Stuck> {
        match self {
            Transport::Plain(handle) => handle.read(buffer).map_err(|e| stuck(e, Wants::Read)),
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => stream.read(buffer),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<usize, Stuck> {
        match self {
            Transport::Plain(handle) => handle.write(bytes).map_err(|e| stuck(e, Wants::Write)),
            #[cfg(feature = "tls")]
            Transport::Tls(stream) => stream.write(bytes),
        }
    }
}

/// A blocking socket says `WouldBlock`, or `TimedOut`, when its timeout is over.
pub(crate) fn stuck(error: io::Error, wants: Wants) -> Stuck {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Stuck::Wants(wants),
        _ => Stuck::Failed(error),
    }
}

/// A connection's bytes, with deadlines.
#[derive(Debug)]
pub(crate) struct Stream {
    socket: Arc<Socket>,
    transport: Transport,
    timeout: Option<Duration>, // What a blocking socket was told last.
}

impl Stream {
    pub(crate) fn new(socket: Socket) -> Self {
        let socket = Arc::new(socket);
        let transport = Transport::Plain(Handle(Arc::clone(&socket)));
        Stream { socket, transport, timeout: None }
    }

    /// Puts TLS over the socket.
    #[cfg(feature = "tls")]
    pub(crate) async fn start_tls(
        &mut self,
        ssl: openssl::ssl::Ssl,
        deadline: Deadline,
    ) -> io::Result<()> {
        let stream = crate::tls::TlsStream::new(ssl, Handle(self.socket()))?;
        self.transport = Transport::Tls(Box::new(stream));
        let socket = self.socket();
        let mut step = || {
            self.attempt(deadline, |transport| match transport {
                Transport::Plain(_) => Ok(()),
                Transport::Tls(stream) => stream.shake_hands(),
            })
        };
        match step() {
            Ok(()) => Ok(()),
            Err(Stuck::Failed(error)) => Err(error),
            Err(Stuck::Wants(wants)) => wait(socket, wants, deadline, step).await,
        }
    }

    /// For [`wait`].
    pub(crate) fn socket(&self) -> Arc<Socket> {
        Arc::clone(&self.socket)
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        !matches!(self.transport, Transport::Plain(_))
    }

    /// Whether an idle connection can still be used.
    pub(crate) fn is_alive(&self) -> bool {
        self.socket.io().is_quiet()
    }

    /// Ends TLS, where there is any. It is not for a connection that broke.
    pub(crate) fn say_goodbye(&mut self) {
        #[cfg(feature = "tls")]
        if let Transport::Tls(stream) = &mut self.transport {
            stream.say_goodbye();
        }
    }

    /// Reads some bytes; none: the end.
    pub(crate) fn read(&mut self, buffer: &mut [u8], deadline: Deadline) -> Result<usize, Stuck> {
        self.attempt(deadline, |transport| transport.read(buffer))
    }

    /// Writes some bytes, and tells how many.
    pub(crate) fn write(&mut self, bytes: &[u8], deadline: Deadline) -> Result<usize, Stuck> {
        match self.attempt(deadline, |transport| transport.write(bytes))? {
            0 => Err(Stuck::Failed(io::ErrorKind::WriteZero.into())),
            count => Ok(count),
        }
    }

    /// Writes some bytes to a blocking socket without TLS, and tells how many. So much time is left for it, and
    /// for [`Stream::read_first`]. `None`: nothing can be sent on it.
    pub(crate) fn write_first(&mut self, bytes: &[u8], left: Option<Duration>) -> Option<usize> {
        if !near(self.timeout, left) {
            self.socket.io().set_timeouts(left).ok()?;
            self.timeout = left;
        }
        match self.transport.write(bytes) {
            Ok(count) => Some(count),
            Err(Stuck::Wants(_)) => Some(0),
            Err(Stuck::Failed(_)) => None,
        }
    }

    /// Reads what comes just behind that.
    pub(crate) fn read_first(&mut self, buffer: &mut [u8]) -> Result<usize, Stuck> {
        self.transport.read(buffer)
    }

    /// Tries a step. A blocking socket waits until it comes to its end, or the deadline does; another one
    /// tells what it wants, for which [`wait`] waits.
    fn attempt<T>(
        &mut self,
        deadline: Deadline,
        mut step: impl FnMut(&mut Transport) -> Result<T, Stuck>,
    ) -> Result<T, Stuck> {
        loop {
            let is_blocking = match &*self.socket {
                Socket::Blocking(io) => {
                    let left = deadline.left();
                    if left.map_or(false, |left| left.is_zero()) {
                        return Err(Stuck::Failed(io::ErrorKind::TimedOut.into()));
                    }
                    if !near(self.timeout, left) {
                        io.set_timeouts(left).map_err(Stuck::Failed)?;
                        self.timeout = left;
                    }
                    true
                }
                #[cfg(feature = "tokio")]
                Socket::Tokio(_) => false,
            };
            match step(&mut self.transport) {
                Err(Stuck::Failed(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(Stuck::Wants(_)) if is_blocking => {} // Its timeout is over.
                result => return result,
            }
        }
    }
}

/// Waits for what a step wants and tries it again, until it comes to its end, or the deadline does.
#[cfg(feature = "tokio")]
pub(crate) async fn wait<T>(
    socket: Arc<Socket>,
    mut wants: Wants,
    deadline: Deadline,
    mut step: impl FnMut() -> Result<T, Stuck>,
) -> io::Result<T> {
    let waiting = match &*socket {
        Socket::Blocking(_) => unreachable!("a blocking socket wants nothing"),
        Socket::Tokio(waiting) => waiting,
    };
    // Readiness that was seen before a step that did not come to its end is over, but that which was seen
    // since then is not.
    let mut ready: Option<(Wants, ::tokio::io::unix::AsyncFdReadyGuard<'_, _>)> = None;
    loop {
        match ready.take() {
            Some((same, mut guard)) if same == wants => guard.clear_ready(),
            _ => {}
        }
        let guard = match wants {
            Wants::Read => crate::socket::in_time(deadline, waiting.readable()).await?,
            Wants::Write => crate::socket::in_time(deadline, waiting.writable()).await?,
        };
        ready = Some((wants, guard));
        match step() {
            Ok(result) => return Ok(result),
            Err(Stuck::Failed(error)) => return Err(error),
            Err(Stuck::Wants(next)) => wants = next,
        }
    }
}

#[cfg(not(feature = "tokio"))]
pub(crate) async fn wait<T>(
    _: Arc<Socket>,
    _: Wants,
    _: Deadline,
    _: impl FnMut() -> Result<T, Stuck>,
) -> io::Result<T> {
    unreachable!("a blocking socket wants nothing")
}

/// Whether a socket's timeout is near enough to what is left, so that most requests need no call of the
/// system for it: it may be longer by an eighth.
fn near(set: Option<Duration>, left: Option<Duration>) -> bool {
    match (set, left) {
        (None, None) => true,
        (Some(set), Some(left)) => set >= left && set - left <= left / 8,
        _ => false,
    }
}
