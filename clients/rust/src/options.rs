use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::{Error, Result};

/// Whether and how connections use TLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tls {
    /// Without TLS.
    Off,
    /// TLS without looking at the certificate.
    Require,
    /// TLS with a certificate of an authority that is trusted, and of the right name.
    Verify,
}

/// What a hook is told of a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The call's name, such as `get`.
    pub kind: &'a str,
    /// Database and table, as `test.user`; empty where a call has none.
    pub table: &'a str,
    /// From the call to its end.
    pub elapsed: Duration,
    /// The error of a call that has failed.
    pub error: Option<&'a Error>,
}

/// Called after each call, for metrics and tracing; see [`Options::on_request`]. A panic is caught, and
/// shown as any other.
pub type Hook = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

/// Where the server is and how it is used. [`Options::default`] is a server on this machine;
/// [`Options::from_url`] reads a URL.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The host of both ports.
    pub host: String,
    /// The read port.
    pub port: u16,
    /// The write port.
    pub write_port: u16,
    /// A Unix socket in the place of host and read port.
    pub socket: Option<String>,
    /// A Unix socket in the place of host and write port. With `socket` alone there are no changes.
    pub write_socket: Option<String>,
    /// That of tables that are named without one.
    pub database: Option<String>,
    /// The account; with neither user nor password there is no login.
    pub user: Option<String>,
    /// The account's password.
    pub password: Option<String>,
    /// That of ports with a secret.
    pub secret: Option<String>,
    /// That of the write port, if it is another one.
    pub write_secret: Option<String>,
    /// Whether connections use TLS. It needs the feature `tls`.
    pub tls: Tls,
    /// A file with the authorities' certificates, in PEM; without it, the system's.
    pub tls_ca: Option<String>,
    /// A file with the client's own certificate, in PEM.
    pub tls_cert: Option<String>,
    /// A file with its key, in PEM.
    pub tls_key: Option<String>,
    /// The name that the certificate must have; without it, the host's.
    pub tls_name: Option<String>,
    /// For connection, TLS and login together; zero: none.
    pub connect_timeout: Duration,
    /// For a request, or for a whole pipeline; zero: none.
    pub timeout: Duration,
    /// Connections to each place, at most.
    pub pool_size: usize,
    /// After what time a connection that is not used is closed; zero: never.
    pub max_idle: Duration,
    /// What operators see.
    pub name: String,
    /// Read ports that take the reads in turns, as `host:port`.
    pub replicas: Vec<String>,
    /// Whether a read on a replica waits for the client's own last change.
    pub read_your_writes: bool,
    /// For how long; then the primary is asked. At most ten minutes.
    pub gtid_timeout: Duration,
    /// How often a request that is safe to repeat is sent again.
    pub retries: u32,
    /// Called after each call, possibly by several threads at once.
    pub on_request: Option<Hook>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            host: "127.0.0.1".to_owned(),
            port: 9998,
            write_port: 9999,
            socket: None,
            write_socket: None,
            database: None,
            user: None,
            password: None,
            secret: None,
            write_secret: None,
            tls: Tls::Off,
            tls_ca: None,
            tls_cert: None,
            tls_key: None,
            tls_name: None,
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(30),
            pool_size: 16,
            max_idle: Duration::from_secs(60),
            name: concat!("handlersocket2-rust/", env!("CARGO_PKG_VERSION")).to_owned(),
            replicas: Vec::new(),
            read_your_writes: false,
            gtid_timeout: Duration::from_secs(1),
            retries: 2,
            on_request: None,
        }
    }
}

impl fmt::Debug for Options {
    /// Without password and secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("write_port", &self.write_port)
            .field("socket", &self.socket)
            .field("write_socket", &self.write_socket)
            .field("database", &self.database)
            .field("user", &self.user)
            .field("tls", &self.tls)
            .field("replicas", &self.replicas)
            .finish_non_exhaustive()
    }
}

impl Options {
    /// Refuses what no connection could be made with.
    pub(crate) fn check(&self) -> Result<()> {
        let longest_wait = Duration::from_secs(600);
        let wrong = if self.pool_size == 0 {
            ("pool_size", "it is one at least")
        } else if self.gtid_timeout > longest_wait {
            ("gtid_timeout", "it is ten minutes at most")
        } else if self.tls_cert.is_some() != self.tls_key.is_some() {
            ("tls_key", "a certificate and its key belong together")
        } else if self.tls != Tls::Off && !cfg!(feature = "tls") {
            ("tls", "this program is built without the feature tls")
        } else if (self.socket.is_some() || self.write_socket.is_some()) && !cfg!(unix) {
            ("socket", "this system has no Unix sockets")
        } else {
            return Ok(());
        };
        Err(Error::configuration(wrong.0, wrong.1))
    }

    /// The timeout of a request for which the server may wait.
    pub(crate) fn patience(&self, extra: Duration) -> Duration {
        if self.timeout.is_zero() {
            return Duration::ZERO;
        }
        self.timeout.saturating_add(extra)
    }

    /// Sets an option by its name in URLs. `None`: there is no such option.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Option<Result<()>> {
        let set = match name {
            "host" => text(&mut self.host, value),
            "port" => number(&mut self.port, value, 1, 65_535),
            "write_port" => number(&mut self.write_port, value, 1, 65_535),
            "socket" => optional(&mut self.socket, value),
            "write_socket" => optional(&mut self.write_socket, value),
            "database" => optional(&mut self.database, value),
            "user" => optional(&mut self.user, value),
            "password" => optional(&mut self.password, value),
            "secret" => optional(&mut self.secret, value),
            "write_secret" => optional(&mut self.write_secret, value),
            "tls" => choice(
                &mut self.tls,
                value,
                &[("off", Tls::Off), ("require", Tls::Require), ("verify", Tls::Verify)],
            ),
            "tls_ca" => optional(&mut self.tls_ca, value),
            "tls_cert" => optional(&mut self.tls_cert, value),
            "tls_key" => optional(&mut self.tls_key, value),
            "tls_name" => optional(&mut self.tls_name, value),
            "connect_timeout" => seconds(&mut self.connect_timeout, value),
            "timeout" => seconds(&mut self.timeout, value),
            "pool_size" => number(&mut self.pool_size, value, 1, 65_536),
            "max_idle" => seconds(&mut self.max_idle, value),
            "name" => text(&mut self.name, value),
            "replicas" => replicas(&mut self.replicas, value),
            "read_your_writes" => {
                choice(&mut self.read_your_writes, value, &[("off", false), ("on", true)])
            }
            "gtid_timeout" => seconds(&mut self.gtid_timeout, value),
            "retries" => number(&mut self.retries, value, 0, 1_000),
            _ => return None,
        };
        Some(set.map_err(|what| Error::configuration(name, what)))
    }
}

type Set = Result<(), String>;

fn text(field: &mut String, value: &str) -> Set {
    *field = value.to_owned();
    Ok(())
}

fn optional(field: &mut Option<String>, value: &str) -> Set {
    *field = Some(value.to_owned());
    Ok(())
}

fn number<T: TryFrom<u32>>(field: &mut T, value: &str, least: u32, most: u32) -> Set {
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = value.parse().ok().filter(|number| digits && (least..=most).contains(number));
    let fits = parsed.and_then(|number| T::try_from(number).ok());
    *field = fits.ok_or_else(|| format!("{value:?} is no number from {least} to {most}"))?;
    Ok(())
}

fn seconds(field: &mut Duration, value: &str) -> Set {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let plain = value.split_once('.').map_or(digits(value), |(a, b)| digits(a) && digits(b));
    let parsed = value.parse().ok().filter(|number| plain && (0.0..=1e9).contains(number));
    let parsed = parsed.ok_or_else(|| format!("{value:?} is no number of seconds"))?;
    *field = Duration::from_secs_f64(parsed);
    Ok(())
}

fn choice<T: Copy>(field: &mut T, value: &str, allowed: &[(&str, T)]) -> Set {
    let found = allowed.iter().find(|(name, _)| *name == value);
    *field = found.map(|(_, choice)| *choice).ok_or_else(|| {
        let names: Vec<&str> = allowed.iter().map(|(name, _)| *name).collect();
        format!("{value:?} is none of {}", names.join(", "))
    })?;
    Ok(())
}

fn replicas(field: &mut Vec<String>, value: &str) -> Set {
    *field = value.split(',').map(str::to_owned).collect();
    for address in field {
        if split_address(address).is_none() {
            return Err(format!("{address:?} is not host:port"));
        }
    }
    Ok(())
}

/// Host and port of `host:port` or `[address]:port`.
pub(crate) fn split_address(address: &str) -> Option<(&str, u16)> {
    let (host, port) = address.rsplit_once(':')?;
    let mut parsed = 0u16;
    number(&mut parsed, port, 1, 65_535).ok()?;
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match bracketed {
        Some(inner) if inner.parse::<std::net::Ipv6Addr>().is_ok() => Some((inner, parsed)),
        None if !host.is_empty() && !host.contains([':', '[', ']']) => Some((host, parsed)),
        _ => None,
    }
}
