use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use crate::runtime::{Deadline, Mode};
use crate::sys;

/// A socket of the system. Those of the tokio API do not block.
#[derive(Debug)]
pub(crate) enum Io {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// Calls the same method of each kind of socket.
macro_rules! each {
    ($io:expr, $socket:ident => $call:expr) => {
        match $io {
            Io::Tcp($socket) => $call,
            #[cfg(unix)]
            Io::Unix($socket) => $call,
        }
    };
}

impl Io {
    pub(crate) fn set_timeouts(&self, time: Option<Duration>) -> io::Result<()> {
        each!(self, socket => {
            socket.set_read_timeout(time)?;
            socket.set_write_timeout(time)
        })
    }

    /// Whether an idle connection can still be used: there is nothing to read, not even its end.
    pub(crate) fn is_quiet(&self) -> bool {
        each!(self, socket => sys::is_quiet(socket))
    }

    #[cfg(feature = "tokio")]
    fn set_nonblocking(&self) -> io::Result<()> {
        each!(self, socket => socket.set_nonblocking(true))
    }
}

#[cfg(feature = "tokio")]
impl std::os::unix::io::AsRawFd for Io {
    fn as_raw_fd(&self) -> std::os::unix::io::RawFd {
        each!(self, socket => socket.as_raw_fd())
    }
}

/// A socket, and how one waits for it.
#[derive(Debug)]
pub(crate) enum Socket {
    Blocking(Io),
    #[cfg(feature = "tokio")]
    Tokio(::tokio::io::unix::AsyncFd<Io>),
}

impl Socket {
    fn new(mode: Mode, io: Io) -> io::Result<Self> {
        match mode {
            Mode::Blocking => Ok(Socket::Blocking(io)),
            #[cfg(feature = "tokio")]
            Mode::Tokio => {
                io.set_nonblocking()?;
                Ok(Socket::Tokio(::tokio::io::unix::AsyncFd::new(io)?))
            }
        }
    }

    pub(crate) fn io(&self) -> &Io {
        match self {
            Socket::Blocking(io) => io,
            #[cfg(feature = "tokio")]
            Socket::Tokio(waiting) => waiting.get_ref(),
        }
    }
}

/// A socket as a stream of bytes.
#[derive(Debug, Clone)]
pub(crate) struct Handle(pub Arc<Socket>);

impl Read for Handle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        each!(self.0.io(), socket => { let mut socket = socket; socket.read(buffer) })
    }
}

impl Write for Handle {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        each!(self.0.io(), socket => { let mut socket = socket; socket.write(bytes) })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(()) // A socket keeps nothing.
    }
}

fn timed_out() -> io::Error {
    io::ErrorKind::TimedOut.into()
}

#[cfg(feature = "tokio")]
pub(crate) async fn in_time<T>(
    deadline: Deadline,
    work: impl std::future::Future<Output = io::Result<T>>,
) -> io::Result<T> {
    match deadline.0 {
        None => work.await,
        Some(end) => {
            ::tokio::time::timeout_at(end.into(), work).await.unwrap_or_else(|_| Err(timed_out()))
        }
    }
}

/// Connects to a host, at the first of its addresses that answers.
pub(crate) async fn connect_tcp(
    mode: Mode,
    host: &str,
    port: u16,
    deadline: Deadline,
) -> io::Result<Socket> {
    let stream = match mode {
        Mode::Blocking => connect_blocking((host, port), deadline)?,
        #[cfg(feature = "tokio")]
        Mode::Tokio => {
            let stream = in_time(deadline, ::tokio::net::TcpStream::connect((host, port))).await?;
            stream.into_std()?
        }
    };
    stream.set_nodelay(true)?;
    sys::keep_alive(&stream);
    Socket::new(mode, Io::Tcp(stream))
}

fn connect_blocking(to: (&str, u16), deadline: Deadline) -> io::Result<TcpStream> {
    let mut failed = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in std::net::ToSocketAddrs::to_socket_addrs(&to)? {
        match connect_address(&address, deadline) {
            Ok(stream) => return Ok(stream),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

fn connect_address(address: &SocketAddr, deadline: Deadline) -> io::Result<TcpStream> {
    match deadline.left() {
        None => TcpStream::connect(address),
        Some(left) if left.is_zero() => Err(timed_out()),
        Some(left) => TcpStream::connect_timeout(address, left),
    }
}

/// Connects to a Unix socket.
#[cfg(unix)]
pub(crate) async fn connect_unix(mode: Mode, path: &str, deadline: Deadline) -> io::Result<Socket> {
    let stream = match mode {
        Mode::Blocking => {
            let _ = deadline; // The system answers at once.
            UnixStream::connect(path)?
        }
        #[cfg(feature = "tokio")]
        Mode::Tokio => {
            in_time(deadline, ::tokio::net::UnixStream::connect(path)).await?.into_std()?
        }
    };
    Socket::new(mode, Io::Unix(stream))
}
