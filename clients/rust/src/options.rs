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
        // A program may have set anything.
        let wholes = [
            ("port", u64::from(self.port), 1, 65_535),
            ("write_port", u64::from(self.write_port), 1, 65_535),
            ("pool_size", self.pool_size as u64, 1, 65_535),
            ("retries", u64::from(self.retries), 0, 1_000),
        ];
        for (name, value, least, most) in wholes {
            if !(least..=most).contains(&value) {
                return Err(Error::configuration(name, no_number(value, least, most)));
            }
        }
        let times = [
            ("connect_timeout", self.connect_timeout, MOST_SECONDS),
            ("timeout", self.timeout, MOST_SECONDS),
            ("max_idle", self.max_idle, MOST_SECONDS),
            ("gtid_timeout", self.gtid_timeout, MOST_WAIT),
        ];
        for (name, value, most) in times {
            if value > Duration::from_secs(most) {
                return Err(Error::configuration(name, no_seconds(value.as_secs_f64(), most)));
            }
        }
        let optional = [
            ("socket", &self.socket),
            ("write_socket", &self.write_socket),
            ("database", &self.database),
            ("user", &self.user),
            ("password", &self.password),
            ("secret", &self.secret),
            ("write_secret", &self.write_secret),
            ("tls_ca", &self.tls_ca),
            ("tls_cert", &self.tls_cert),
            ("tls_key", &self.tls_key),
            ("tls_name", &self.tls_name),
        ];
        let given = optional.iter().filter_map(|(name, value)| Some((*name, value.as_ref()?)));
        for (name, value) in given.chain([("host", &self.host), ("name", &self.name)]) {
            check_text(name, value).map_err(|what| Error::configuration(name, what))?;
        }
        check_replicas(&self.replicas).map_err(|what| Error::configuration("replicas", what))?;
        let wrong = if self.tls_cert.is_some() != self.tls_key.is_some() {
            ("tls_key", "tls_cert and tls_key belong together")
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
            "host" => text(&mut self.host, name, value),
            "port" => number(&mut self.port, value, 1, 65_535),
            "write_port" => number(&mut self.write_port, value, 1, 65_535),
            "socket" => optional(&mut self.socket, name, value),
            "write_socket" => optional(&mut self.write_socket, name, value),
            "database" => optional(&mut self.database, name, value),
            "user" => optional(&mut self.user, name, value),
            "password" => optional(&mut self.password, name, value),
            "secret" => optional(&mut self.secret, name, value),
            "write_secret" => optional(&mut self.write_secret, name, value),
            "tls" => choice(
                &mut self.tls,
                value,
                &[("off", Tls::Off), ("require", Tls::Require), ("verify", Tls::Verify)],
            ),
            "tls_ca" => optional(&mut self.tls_ca, name, value),
            "tls_cert" => optional(&mut self.tls_cert, name, value),
            "tls_key" => optional(&mut self.tls_key, name, value),
            "tls_name" => optional(&mut self.tls_name, name, value),
            "connect_timeout" => seconds(&mut self.connect_timeout, value, MOST_SECONDS),
            "timeout" => seconds(&mut self.timeout, value, MOST_SECONDS),
            "pool_size" => number(&mut self.pool_size, value, 1, 65_535),
            "max_idle" => seconds(&mut self.max_idle, value, MOST_SECONDS),
            "name" => text(&mut self.name, name, value),
            "replicas" => replicas(&mut self.replicas, value),
            "read_your_writes" => {
                choice(&mut self.read_your_writes, value, &[("on", true), ("off", false)])
            }
            "gtid_timeout" => seconds(&mut self.gtid_timeout, value, MOST_WAIT),
            "retries" => number(&mut self.retries, value, 0, 1_000),
            _ => return None,
        };
        Some(set.map_err(|what| Error::configuration(name, what)))
    }
}

type Set = Result<(), String>;

const MOST_SECONDS: u64 = 1_000_000;
/// That of the server.
const MOST_WAIT: u64 = 600;
const MOST_REPLICAS: usize = 32;

fn no_number(value: impl fmt::Debug, least: u64, most: u64) -> String {
    format!("it is a whole number from {least} to {most}, not {value:?}")
}

fn no_seconds(value: impl fmt::Debug, most: u64) -> String {
    format!("it is seconds from 0 to {most}, not {value:?}")
}

/// From one digit to ten.
fn digits(text: &str) -> bool {
    (1..=10).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn text(field: &mut String, name: &str, value: &str) -> Set {
    *field = value.to_owned();
    check_text(name, value)
}

fn optional(field: &mut Option<String>, name: &str, value: &str) -> Set {
    *field = Some(value.to_owned());
    check_text(name, value)
}

/// The error does not tell the value, which may be secret.
fn check_text(name: &str, value: &str) -> Set {
    let (good, what) = match name {
        "password" | "secret" | "write_secret" => (!value.contains('\0'), "text without NUL"),
        "name" => (
            !value.is_empty() && !value.contains(|c: char| c.is_ascii_control()),
            "text of one character or more, without control characters",
        ),
        _ => (
            !value.is_empty() && !value.contains('\0'),
            "text of one character or more, without NUL",
        ),
    };
    if good {
        Ok(())
    } else {
        Err(format!("it is {what}"))
    }
}

fn number<T: TryFrom<u64>>(field: &mut T, value: &str, least: u64, most: u64) -> Set {
    let parsed = value.parse().ok().filter(|n| digits(value) && (least..=most).contains(n));
    let fits = parsed.and_then(|number| T::try_from(number).ok());
    *field = fits.ok_or_else(|| no_number(value, least, most))?;
    Ok(())
}

fn seconds(field: &mut Duration, value: &str, most: u64) -> Set {
    let (whole, decimals) = value.split_once('.').unwrap_or((value, "0"));
    let plain = !decimals.is_empty() && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let parsed: Option<f64> = value.parse().ok().filter(|_| plain && digits(whole));
    let parsed = parsed.filter(|number| *number <= most as f64);
    *field = Duration::from_secs_f64(parsed.ok_or_else(|| no_seconds(value, most))?);
    if field.is_zero() && parsed > Some(0.0) {
        *field = Duration::from_nanos(1); // As zero means none.
    }
    Ok(())
}

fn choice<T: Copy>(field: &mut T, value: &str, allowed: &[(&str, T)]) -> Set {
    let found = allowed.iter().find(|(name, _)| *name == value);
    *field = found.map(|(_, choice)| *choice).ok_or_else(|| {
        let mut names: Vec<&str> = allowed.iter().map(|(name, _)| *name).collect();
        let last = names.pop().unwrap_or_default();
        format!("it is {} or {last}, not {value:?}", names.join(", "))
    })?;
    Ok(())
}

fn replicas(field: &mut Vec<String>, value: &str) -> Set {
    *field = value.split(',').map(str::to_owned).collect();
    check_replicas(field)
}

fn check_replicas(addresses: &[String]) -> Set {
    let good = addresses.iter().all(|address| split_address(address).is_some());
    if good && addresses.len() <= MOST_REPLICAS {
        return Ok(());
    }
    let given = addresses.join(",");
    Err(format!("it is host:port,host:port, {MOST_REPLICAS} at most, not {given:?}"))
}

/// Host and port of `host:port` or `[address]:port`.
pub(crate) fn split_address(address: &str) -> Option<(&str, u16)> {
    let (host, port) = address.rsplit_once(':')?;
    let mut parsed = 0u16;
    number(&mut parsed, port, 1, 65_535).ok().filter(|()| port.len() <= 5)?;
    let bracketed = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    match bracketed {
        Some(inner) if inner.parse::<std::net::Ipv6Addr>().is_ok() => Some((inner, parsed)),
        None if !host.is_empty() && !host.contains([':', '[', ']', '/', ' ', '\t', '\0']) => {
            Some((host, parsed))
        }
        _ => None,
    }
}
