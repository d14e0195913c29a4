use std::fmt;

use crate::exchange::Work;
use crate::indexes::Indexes;
use crate::options::Tls;
use crate::protocol::{Reader, Reply};
use crate::runtime::{Deadline, Mode};
use crate::socket;
use crate::stream::Stream;
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
        let (mut written, mut answered, mut sent) = (0, 0, 0);
        for piece in pieces {
            if sent < pieces.len() && written - answered <= WINDOW / 2 {
                let next = &lines[written..window(pieces, &mut sent, written, answered)];
                let result = self.stream.write_all(next, &mut written, deadline).await;
                let maybe = written > 0 || self.stream.is_encrypted();
                if let Err(error) = result {
                    // What the server has said before it closed tells more.
                    if error.kind() != std::io::ErrorKind::TimedOut {
                        while let Ok(reply) = self.receive(deadline).await {
                            replies.push(reply);
                        }
                    }
                    return Err(Error::io(&error, maybe));
                }
            }
            for _ in 0..piece.replies {
                replies.push(self.receive(deadline).await?);
            }
            answered = piece.end;
        }
        // Replies that nobody has asked for are not to be taken for those of the next request.
        self.broken = self.reader.buffered() != 0;
        Ok(())
    }

    /// Sends one line and reads its reply.
    pub(crate) async fn ask(&mut self, line: &[u8], deadline: Deadline) -> Result<Reply> {
        let mut replies = Vec::with_capacity(1);
        let piece = Piece { end: line.len(), replies: 1 };
        self.talk(line, &[piece], VALUES_OF_HELLO, deadline, &mut replies).await?;
        replies.pop().ok_or_else(|| Error::protocol("there is no answer"))
    }

    async fn receive(&mut self, deadline: Deadline) -> Result<Reply> {
        loop {
            if let Some(reply) = self.reader.next_reply()? {
                return Ok(reply);
            }
            let count = self.stream.read(self.reader.space(), deadline).await;
            match count.map_err(|error| Error::io(&error, true))? {
                0 => return Err(Error::connection("the server has ended the connection", true)),
                count => self.reader.filled(count),
            }
        }
    }
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
