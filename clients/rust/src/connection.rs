use std::fmt;
use std::time::{Duration, Instant};
use std::{io, mem};

use crate::exchange::Work;
use crate::indexes::Indexes;
use crate::options::Tls;
use crate::protocol::{Reader, Reply};
use crate::runtime::{Deadline, Mode};
use crate::socket;
use crate::stream::{wait, Stream, Stuck, Wants};
use crate::{Error, Options, Result};

/// Nothing that is not of a table has more values.
pub(crate) const VALUES_OF_HELLO: usize = 6;
/// So many bytes of requests may be without an answer. They fit into the buffers of both sockets, so
/// that the server always comes to read them, however long its replies are.
const WINDOW: usize = 64 << 10;

/// Where connections of a place go to.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub address: Address,
    pub secret: Option<String>,
}

impl fmt::Debug for Endpoint {
    /// Without the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

#[derive(Debug, Clone)]
pub(crate) enum Address {
    Tcp(String, u16),
    #[cfg_attr(not(unix), allow(dead_code))]
    Unix(String),
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(host, port) => write!(f, "{host}:{port}"),
            Address::Unix(path) => f.write_str(path),
        }
    }
}

/// What the server has told of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Features {
    /// It wants a login first, and tells so by itself.
    Unknown,
    /// Those of H; a server of the original's kind has none.
    Known(Vec<String>),
}

/// Lines that are sent together: where they end, and how many replies they get.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub end: usize,
    pub replies: usize,
}

/// How far a talk has come.
#[derive(Debug, Default)]
struct Progress {
    piece: usize,    // The one whose replies are to come.
    begun: bool,     // It is known what is written before they are read.
    replied: usize,  // Its replies that have come.
    answered: usize, // Bytes of the pieces before it.
    sent: usize,     // Pieces that are to be written by now, and
    goal: usize,     // where they end.
    written: usize,
    failure: Option<io::Error>, // That of the writing.
}

/// Why there is no reply yet, or none at all.
enum Halt {
    Wants(Wants),
    Lost(io::Error),
    Failed(Error),
}

/// One connection, for one thread or task at a time.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: Stream,
    reader: Reader,
    pub work: Work,
    pub secure: bool, // A Unix socket, or TLS whose certificate was looked at.
    pub features: Features,
    pub indexes: Indexes,
    /// Nothing can be sent any more. It is so during an exchange, too, which may be given up.
    pub broken: bool,
    /// It has come from the pool.
    pub reused: bool,
    /// There was a change since its GTID was asked for.
    pub changed: bool,
    /// The GTIDs that this replica is known to have.
    pub applied: String,
}

impl Connection {
    /// Connects and logs in.
    pub(crate) async fn dial(mode: Mode, options: &Options, to: &Endpoint) -> Result<Self> {
        let opened = Self::open(mode, options, to).await;
        // What fails before a request was written has not sent it.
        opened.map_err(|error| error.with_sent(false).at(&to.address))
    }

    async fn open(mode: Mode, options: &Options, to: &Endpoint) -> Result<Self> {
        let deadline = Deadline::after(options.connect_timeout);
        let socket = match &to.address {
            Address::Tcp(host, port) => socket::connect_tcp(mode, host, *port, deadline).await,
            #[cfg(unix)]
            Address::Unix(path) => socket::connect_unix(mode, path, deadline).await,
            #[cfg(not(unix))]
            Address::Unix(_) => Err(std::io::ErrorKind::Unsupported.into()),
        };
        let mut connection = Connection {
            stream: Stream::new(socket.map_err(|error| Error::unreachable(&error))?),
            reader: Reader::default(),
            work: Work::default(),
            secure: matches!(to.address, Address::Unix(_)),
            features: Features::Unknown,
            indexes: Indexes::default(),
            broken: false,
            reused: false,
            changed: false,
            applied: String::new(),
        };
        if options.tls != Tls::Off {
            connection.start_tls(options, to, deadline).await?;
        }
        let secret = to.secret.as_deref();
        connection.login(options, secret, deadline).await?;
        Ok(connection)
    }

    #[cfg(feature = "tls")]
    async fn start_tls(&mut self, options: &Options, to: &Endpoint, end: Deadline) -> Result<()> {
        let host = match &to.address {
            Address::Tcp(host, _) => host,
            Address::Unix(_) => &options.host,
        };
        let ssl = crate::tls::new_ssl(options, host)?;
        self.stream.start_tls(ssl, end).await.map_err(|error| Error::unreachable(&error))?;
        self.secure = options.tls == Tls::Verify;
        Ok(())
    }

    #[cfg(not(feature = "tls"))]
    async fn start_tls(&mut self, _: &Options, _: &Endpoint, _: Deadline) -> Result<()> {
        Err(Error::configuration("tls", "this program is built without the feature tls"))
    }

    /// Whether an idle connection can still be used.
    pub(crate) fn is_alive(&self) -> bool {
        !self.broken && self.stream.is_alive()
    }

    /// Whether the server can do something, as far as it is known; the empty name is nothing.
    pub(crate) fn has(&self, feature: &str) -> bool {
        match &self.features {
            Features::Unknown => true,
            Features::Known(all) => feature.is_empty() || all.iter().any(|name| name == feature),
        }
    }

    /// Writes lines and reads their replies, each of so many values at most. Replies are read while there is more to write.
    pub(crate) async fn talk(
        &mut self,
        lines: &[u8],
        pieces: &[Piece],
        most_values: usize,
        deadline: Deadline,
        replies: &mut Vec<Reply>,
    ) -> Result<()> {
        self.reader.set_most_values(most_values);
        self.broken = true; // Until all has come.
        let mut progress = Progress::default();
        let end = match self.advance(lines, pieces, deadline, &mut progress, replies) {
            Ok(end) => end,
            Err(wants) => {
                let waiting = self.stream.socket();
                let step = || {
                    self.advance(lines, pieces, deadline, &mut progress, replies)
                        .map_err(Stuck::Wants)
                };
                // What does not wait is spared the room of this future.
                match Box::pin(wait(waiting, wants, deadline, step)).await {
                    Ok(end) => end,
                    Err(error) => Err(self.lost(error, &mut progress)),
                }
            }
        };
        end?;
        // Replies that nobody has asked for are not to be taken for those of the next request.
        self.broken = self.reader.buffered() != 0 || replies.last().map_or(false, ends_connection);
        Ok(())
    }

    /// Goes on with a talk as far as the socket lets it.
    fn advance(
        &mut self,
        lines: &[u8],
        pieces: &[Piece],
        deadline: Deadline,
        progress: &mut Progress,
        replies: &mut Vec<Reply>,
    ) -> Result<Result<()>, Wants> {
        while let Some(piece) = pieces.get(progress.piece) {
            if !mem::replace(&mut progress.begun, true)
                && progress.sent < pieces.len()
                && progress.written - progress.answered <= WINDOW / 2
            {
                let (written, answered) = (progress.written, progress.answered);
                progress.goal = window(pieces, &mut progress.sent, written, answered);
            }
            while progress.failure.is_none() && progress.written < progress.goal {
                let next = &lines[progress.written..progress.goal];
                match self.stream.write(next, deadline) {
                    Ok(count) => progress.written += count,
                    Err(Stuck::Wants(wants)) => return Err(wants),
                    Err(Stuck::Failed(error)) if error.kind() == io::ErrorKind::TimedOut => {
                        return Ok(Err(self.lost(error, progress)));
                    }
                    // What the server has said before it closed tells more.
                    Err(Stuck::Failed(error)) => progress.failure = Some(error),
                }
            }
            while progress.failure.is_some() || progress.replied < piece.replies {
                match self.receive(deadline) {
                    Ok(reply) => replies.push(reply),
                    Err(Halt::Wants(wants)) => return Err(wants),
                    Err(Halt::Lost(error)) => return Ok(Err(self.lost(error, progress))),
                    Err(Halt::Failed(error)) => {
                        let failure = progress.failure.take();
                        return Ok(Err(
                            failure.map_or(error, |failure| self.lost(failure, progress))
                        ));
                    }
                }
                progress.replied += 1;
            }
            progress.answered = piece.end;
            progress.piece += 1;
            progress.replied = 0;
            progress.begun = false;
        }
        Ok(Ok(()))
    }

    /// The error of a talk that an error of the socket ends.
    fn lost(&self, error: io::Error, progress: &mut Progress) -> Error {
        let is_writing = progress.written < progress.goal;
        let maybe = !is_writing || progress.written > 0 || self.stream.is_encrypted();
        Error::io(&progress.failure.take().unwrap_or(error), maybe)
    }

    /// Sends one line and reads its reply.
    pub(crate) async fn ask(&mut self, line: &[u8], deadline: Deadline) -> Result<Reply> {
        let mut replies = Vec::with_capacity(1);
        let piece = Piece { end: line.len(), replies: 1 };
        self.talk(line, &[piece], VALUES_OF_HELLO, deadline, &mut replies).await?;
        replies.pop().ok_or_else(|| Error::protocol("there is no answer"))
    }

    /// Sends a short line to an idle blocking socket without TLS, within a time that begins now, and reads the
    /// reply, of so many values at most. `None`: nothing was sent.
    pub(crate) fn trade(
        &mut self,
        line: &[u8],
        most_values: usize,
        now: Instant,
        timeout: Duration,
    ) -> Option<Result<Reply>> {
        if self.stream.is_encrypted() {
            return None;
        }
        self.reader.set_most_values(most_values);
        self.broken = true; // Until all has come.
        let left = if timeout.is_zero() { None } else { Some(timeout) };
        let written = self.stream.write_first(line, left)?;
        if written == line.len() {
            if let Ok(count @ 1..) = self.stream.read_first(self.reader.space()) {
                self.reader.filled(count);
                if let Some(reply) = self.reader.next_reply().transpose() {
                    self.broken =
                        self.reader.buffered() != 0 || reply.as_ref().map_or(true, ends_connection);
                    return Some(reply);
                }
            }
        }
        let end = Deadline(left.and_then(|left| now.checked_add(left)));
        Some(self.end_trade(line, written, end))
    }

    /// The rest of it, where the first write and the first read were not all.
    #[cold]
    fn end_trade(&mut self, line: &[u8], written: usize, end: Deadline) -> Result<Reply> {
        let pieces = [Piece { end: line.len(), replies: 1 }];
        let mut progress =
            Progress { begun: true, sent: 1, goal: line.len(), written, ..Progress::default() };
        let mut replies = Vec::with_capacity(1);
        match self.advance(line, &pieces, end, &mut progress, &mut replies) {
            Ok(ended) => ended?,
            Err(_) => unreachable!("a blocking socket wants nothing"),
        }
        self.broken = self.reader.buffered() != 0 || replies.last().map_or(false, ends_connection);
        replies.pop().ok_or_else(|| Error::protocol("there is no answer"))
    }

    fn receive(&mut self, deadline: Deadline) -> Result<Reply, Halt> {
        loop {
            if let Some(reply) = self.reader.next_reply().map_err(Halt::Failed)? {
                return Ok(reply);
            }
            match self.stream.read(self.reader.space(), deadline) {
                Ok(0) => {
                    let what = "the server has ended the connection";
                    return Err(Halt::Failed(Error::connection(what, true)));
                }
                Ok(count) => self.reader.filled(count),
                Err(Stuck::Wants(wants)) => return Err(Halt::Wants(wants)),
                Err(Stuck::Failed(error)) => return Err(Halt::Lost(error)),
            }
        }
    }
}

/// Whether the server ends the connection behind this reply, or may.
fn ends_connection(reply: &Reply) -> bool {
    const ENDS: [&str; 5] = [
        "insecure_transport",
        "max_memory",
        "request_too_long",
        "shutdown",
        "too_many_connections",
    ];
    reply.code() != 0 && ENDS.contains(&reply.text().as_str())
}

/// Where the pieces end that may be sent now; `sent` counts them. One goes even if it is long, when there
/// is nothing else without an answer: the server reads all of it before it replies.
fn window(pieces: &[Piece], sent: &mut usize, written: usize, answered: usize) -> usize {
    let mut end = written;
    while let Some(next) = pieces.get(*sent) {
        if next.end - answered > WINDOW && end > answered {
            break;
        }
        end = next.end;
        *sent += 1;
    }
    end
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.broken {
            self.stream.say_goodbye();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(ends: &[usize]) -> Vec<Piece> {
        ends.iter().map(|&end| Piece { end, replies: 1 }).collect()
    }

    #[test]
    fn short_lines_are_sent_together_up_to_the_window() {
        let pieces = pieces(&[WINDOW / 2, WINDOW, WINDOW + 1]);
        let mut sent = 0;
        assert_eq!(window(&pieces, &mut sent, 0, 0), WINDOW);
        assert_eq!(window(&pieces, &mut sent, WINDOW, WINDOW / 2), WINDOW + 1);
        assert_eq!(sent, 3);
    }

    #[test]
    fn a_long_line_is_sent_alone() {
        let pieces = pieces(&[10, 10 + 2 * WINDOW, 20 + 2 * WINDOW]);
        let mut sent = 0;
        assert_eq!(window(&pieces, &mut sent, 0, 0), 10);
        assert_eq!(window(&pieces, &mut sent, 10, 0), 10, "a short one is without an answer");
        assert_eq!(window(&pieces, &mut sent, 10, 10), 10 + 2 * WINDOW);
        assert_eq!(sent, 2);
    }
}
