use std::fmt;

/// The result of what may fail with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Any error of this crate. [`Error::kind`] tells its class by one name.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An option that is unknown, given twice or has a value that it cannot have. Nothing was sent.
    Configuration {
        /// The option.
        option: String,
        /// What is wrong, in English.
        what: String,
    },
    /// A value, a name or a number that cannot be sent or converted, in English.
    Value(String),
    /// There is no connection, or it broke.
    Connection {
        /// Whether the request may have been carried out.
        sent: bool,
        /// What happened, in English.
        what: String,
    },
    /// It took too long, and the connection is closed.
    Timeout {
        /// Whether the request may have been carried out.
        sent: bool,
    },
    /// What came is no reply, and the connection is closed.
    Protocol {
        /// Whether the request may have been carried out.
        sent: bool,
        /// What is wrong, in English.
        what: String,
    },
    /// The server has not this feature.
    Unsupported {
        /// Its name, as `H` has it.
        feature: String,
    },
    /// An error reply.
    Server {
        /// The class of the text.
        kind: ErrorKind,
        /// 1 (the server refused), 2 (the request is wrong) or 3 (authentication).
        code: u8,
        /// The text as it came.
        text: String,
        /// That of an SQL error, for `sql_` and `access_denied`.
        number: Option<u32>,
    },
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $name:literal,)*) => {
        /// The classes of errors, as all clients have them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind { $($(#[$doc])* $kind,)* }

        impl ErrorKind {
            /// The name in the contract of the clients, such as `DuplicateKeyError`.
            pub fn name(self) -> &'static str {
                match self { $(ErrorKind::$kind => $name,)* }
            }
        }
    };
}

kinds! {
    /// See [`Error::Configuration`].
    Configuration = "ConfigurationError",
    /// See [`Error::Value`].
    Value = "ValueError",
    /// See [`Error::Connection`].
    Connection = "ConnectionError",
    /// See [`Error::Timeout`].
    Timeout = "TimeoutError",
    /// See [`Error::Protocol`].
    Protocol = "ProtocolError",
    /// See [`Error::Unsupported`].
    Unsupported = "UnsupportedError",
    /// An error reply that is none of the following.
    Server = "ServerError",
    /// A row with this key, in the primary or a unique index, is there already.
    DuplicateKey = "DuplicateKeyError",
    /// A lock could not be had in time. Try again.
    LockTimeout = "LockTimeoutError",
    /// A deadlock; a transaction is lost. Try again.
    Deadlock = "DeadlockError",
    /// The server has rolled the transaction back. Begin it again.
    TransactionLost = "TransactionLostError",
    /// A foreign key forbids the change.
    ForeignKey = "ForeignKeyError",
    /// A value that its column does not take.
    Constraint = "ConstraintError",
    /// There is no such table, index or column.
    NotFound = "NotFoundError",
    /// A change where only reads are taken.
    ReadOnly = "ReadOnlyError",
    /// The login or the secret was refused, or there was none.
    Authentication = "AuthenticationError",
    /// The account has no privilege for this, or has reached a limit of its own.
    AccessDenied = "AccessDeniedError",
    /// The server has as much to do as it may have. Try again later.
    Overloaded = "OverloadedError",
    /// The server is shutting down.
    Unavailable = "UnavailableError",
}

impl Error {
    /// The error's class.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Configuration { .. } => ErrorKind::Configuration,
            Error::Value(_) => ErrorKind::Value,
            Error::Connection { .. } => ErrorKind::Connection,
            Error::Timeout { .. } => ErrorKind::Timeout,
            Error::Protocol { .. } => ErrorKind::Protocol,
            Error::Unsupported { .. } => ErrorKind::Unsupported,
            Error::Server { kind, .. } => *kind,
        }
    }

    /// The code of an error reply: 1, 2 or 3.
    pub fn code(&self) -> Option<u8> {
        match self {
            Error::Server { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// The text of an error reply, as it came.
    pub fn text(&self) -> Option<&str> {
        match self {
            Error::Server { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The number of an SQL error.
    pub fn number(&self) -> Option<u32> {
        match self {
            Error::Server { number, .. } => *number,
            _ => None,
        }
    }

    /// Whether the request may have been carried out; `None` unless it is the connection's error:
    /// [`Error::Connection`], [`Error::Timeout`] or [`Error::Protocol`].
    pub fn sent(&self) -> Option<bool> {
        match self {
            Error::Connection { sent, .. }
            | Error::Timeout { sent }
            | Error::Protocol { sent, .. } => Some(*sent),
            _ => None,
        }
    }

    /// The same error with another answer to [`Error::sent`].
    pub(crate) fn with_sent(mut self, now: bool) -> Self {
        if let Error::Connection { sent, .. }
        | Error::Timeout { sent }
        | Error::Protocol { sent, .. } = &mut self
        {
            *sent = now;
        }
        self
    }

    pub(crate) fn configuration(option: &str, what: impl ToString) -> Self {
        Error::Configuration { option: option.to_owned(), what: what.to_string() }
    }

    pub(crate) fn value(what: impl Into<String>) -> Self {
        Error::Value(what.into())
    }

    pub(crate) fn protocol(what: impl Into<String>) -> Self {
        Error::Protocol { sent: true, what: what.into() }
    }

    pub(crate) fn connection(what: impl ToString, sent: bool) -> Self {
        Error::Connection { sent, what: what.to_string() }
    }

    /// No connection came about.
    pub(crate) fn unreachable(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::TimedOut => Error::Timeout { sent: false },
            _ => Error::connection(error, false),
        }
    }

    /// The same error, which tells where it was that no connection came about.
    pub(crate) fn at(mut self, address: &impl fmt::Display) -> Self {
        if let Error::Connection { what, .. } | Error::Protocol { what, .. } = &mut self {
            *what = format!("no connection to {address}: {what}");
        }
        self
    }

    pub(crate) fn io(error: &std::io::Error, sent: bool) -> Self {
        if error.kind() == std::io::ErrorKind::TimedOut {
            return Error::Timeout { sent };
        }
        Error::Connection { sent, what: format!("the connection broke: {error}") }
    }

    pub(crate) fn server(code: u8, text: String) -> Self {
        let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
        let number = match word.strip_prefix("sql_") {
            Some(number) => number.parse().ok(),
            None if word == "access_denied" => {
                rest.split(' ').next().and_then(|number| number.parse().ok())
            }
            None => None,
        };
        Error::Server { kind: kind_of(word), code, number, text }
    }
}

fn kind_of(word: &str) -> ErrorKind {
    match word {
        "121" => ErrorKind::DuplicateKey,
        "146" | "lock_tables" => ErrorKind::LockTimeout,
        "149" => ErrorKind::Deadlock,
        "transaction_lost" | "123" => ErrorKind::TransactionLost,
        "151" | "152" => ErrorKind::ForeignKey,
        "sql_1048" | "sql_1264" | "sql_1265" | "sql_1292" | "sql_1364" | "sql_1366"
        | "sql_1406" | "sql_4025" => ErrorKind::Constraint,
        "open_table" | "idxnum" | "fld" => ErrorKind::NotFound,
        "readonly" => ErrorKind::ReadOnly,
        "unauth" | "authtype" | "insecure_transport" => ErrorKind::Authentication,
        "access_denied" => ErrorKind::AccessDenied,
        "max_memory" => ErrorKind::Overloaded,
        "shutdown" => ErrorKind::Unavailable,
        _ if word.starts_with("too_many_") => ErrorKind::Overloaded,
        _ => ErrorKind::Server,
    }
}

/// What is said behind the server's word, which is short.
fn hint(text: &str) -> &'static str {
    match text.split(' ').next().unwrap_or_default() {
        "121" => "a row with this key is there already",
        "123" => "another session has changed the row meanwhile; try again",
        "146" => "another session held the row for too long; try again",
        "149" => "a deadlock; try again",
        "151" => "the row that a foreign key refers to is not there",
        "152" => "another row refers to this one by a foreign key",
        "lock_tables" => "another session held the table for too long, or the server is read-only",
        "transaction_lost" => "the server has rolled the transaction back; begin it again",
        "open_table" => "there is no such table, or it cannot be served",
        "idxnum" => "the table has no such index, or it cannot be searched",
        "fld" => "the table has no such column",
        "readonly" => {
            "changes are not taken here, but on the write port, and in transactions that may write"
        }
        "unauth" => {
            "the port asks for an account or a secret, or the one that was given is refused; \
             accounts of MySQL need tls=verify or a Unix socket"
        }
        "authtype" => "the port does not take this kind of login",
        "insecure_transport" => "the server takes connections with TLS only",
        "access_denied" if text == "access_denied 1226" => {
            "the account has reached a limit of its own, such as MAX_QUERIES_PER_HOUR; try again later"
        }
        "access_denied" => "the account has no privilege for this",
        "max_memory" => "the server has reached handlersocket_max_memory; try again later",
        "shutdown" => "the server is shutting down",
        "too_many_indexes" => "the connection has as many open indexes as it may have",
        "too_many_connections" => "the server has reached handlersocket_max_connections",
        "too_many_rows" => "one request may not change or give so many rows; use a smaller limit",
        "too_many_keys" => "the list is longer than handlersocket_max_in_keys",
        "too_many_columns" => "the list is longer than handlersocket_max_columns",
        "too_many_logins" => "as many logins wait as the server lets wait; try again later",
        "too_many_waits" => {
            "as many connections wait for a GTID as the server lets wait; try again later"
        }
        "too_many_transactions" => {
            "the server has reached handlersocket_max_transactions; try again later"
        }
        "cmd" => "the server does not know this request: it is no HandlerSocket 2, or an old one",
        "op" => "the index does not take this operator",
        "kpnum" => "the key has more values than the index has columns",
        "fldnum" => "there are more values than columns",
        "filterblob" => "TEXT and BLOB columns can only be compared with NULL",
        "notimpl" => "this server does not serve this request",
        "number" => "an amount, a limit or an offset is no integer, or out of its range",
        "request_too_long" => "the request is longer than handlersocket_max_request_size",
        "reply_too_long" => {
            "the reply is longer than handlersocket_max_reply_size; ask for fewer rows"
        }
        "unsupported_table" => "the table has a feature that is not served on this port; use SQL",
        "interrupted" => "the request was killed, and nothing of it was done",
        "gtid" => "this is no list of GTIDs",
        "no_binary_log" => "the server writes no binary log, so changes have no GTID",
        "in_transaction" => "this is not taken within a transaction",
        "no_transaction" => "the connection is in no transaction",
        "not_a_number" => "the value of the column is no number that can be counted",
        _ => "",
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Configuration { option, what } => write!(f, "option {option}: {what}"),
            Error::Value(what) | Error::Connection { what, .. } => f.write_str(what),
            Error::Timeout { .. } => f.write_str("it took too long"),
            Error::Protocol { what, .. } => write!(f, "no reply of the protocol: {what}"),
            Error::Unsupported { feature } => write!(f, "the server has not the feature {feature}"),
            Error::Server { text, code, .. } => {
                write!(f, "{text} (code {code})")?;
                match hint(text) {
                    "" => Ok(()),
                    hint => write!(f, ": {hint}"),
                }
            }
        }
    }
}

impl std::error::Error for Error {}
