use crate::connection::{Connection, Features, Piece, VALUES_OF_HELLO};
use crate::protocol::{self, Reply};
use crate::runtime::Deadline;
use crate::{Error, ErrorKind, Options, Result};

const NATIVE_PASSWORD: &str = "mysql_native_password";

impl Connection {
    /// Shows the secret or logs in to the account, and learns the server's features.
    pub(crate) async fn login(
        &mut self,
        options: &Options,
        secret: Option<&str>,
        end: Deadline,
    ) -> Result<()> {
        let given = |option: &Option<String>| option.as_deref().map_or(false, |o| !o.is_empty());
        if given(&options.user) || given(&options.password) {
            if !self.account(options, end).await? {
                return self.without_account(options, secret, end).await;
            }
            return Ok(());
        }
        self.without_account(options, secret, end).await
    }

    async fn without_account(
        &mut self,
        options: &Options,
        secret: Option<&str>,
        end: Deadline,
    ) -> Result<()> {
        let mut line = Vec::new();
        if let Some(secret) = secret {
            protocol::secret(&mut line, secret);
        }
        self.authenticate(line, options, end).await
    }

    /// Sends one line, or none, that is answered with success, and a hello in the same piece.
    async fn authenticate(
        &mut self,
        mut lines: Vec<u8>,
        options: &Options,
        deadline: Deadline,
    ) -> Result<()> {
        let first = usize::from(!lines.is_empty());
        protocol::hello(&mut lines, 2, &options.name)?;
        let piece = Piece { end: lines.len(), replies: first + 1 };
        let mut replies = Vec::with_capacity(2);
        let result = self.talk(&lines, &[piece], VALUES_OF_HELLO, deadline, &mut replies).await;
        for (place, reply) in replies.iter().enumerate() {
            // A server may close the connection behind what it has refused.
            if place == first {
                self.greet(reply)?;
            } else if let Some(error) = reply.error() {
                return Err(error);
            } else if reply.columns() != 1 {
                return Err(Error::protocol("there is a second challenge"));
            }
        }
        result
    }

    fn greet(&mut self, reply: &Reply) -> Result<()> {
        if reply.code() != 0 {
            let text = reply.text();
            if text != "cmd" {
                return Err(Error::server(reply.code(), text));
            }
            self.features = Features::Known(Vec::new());
        } else if reply.columns() == 6 && reply.len() == 6 {
            let list = String::from_utf8_lossy(reply.value(4).unwrap_or_default());
            self.features = Features::Known(list.split(',').map(str::to_owned).collect());
        }
        Ok(())
    }

    /// Logs in by the method that the server names, or else by the password itself where that is safe.
    /// False: the port asks for no account. It never gets the password.
    async fn account(&mut self, options: &Options, deadline: Deadline) -> Result<bool> {
        let user = options.user.as_deref().unwrap_or_default();
        let password = options.password.as_deref().unwrap_or_default();
        let mut line = Vec::new();
        protocol::login(&mut line, user, &[NATIVE_PASSWORD, "unix_socket"]);
        let reply = self.ask(&line, deadline).await?;
        let refused = if let Some(error) = reply.error() {
            if reply.text() == "authtype" {
                return Ok(false);
            }
            error
        } else if reply.columns() != 2 || reply.len() != 2 {
            // The account is that of the process, by the Unix socket.
            return self.authenticate(Vec::new(), options, deadline).await.map(|()| true);
        } else if reply.value(0) == Some(NATIVE_PASSWORD.as_bytes()) {
            let challenge = from_hexadecimal(reply.value(1).unwrap_or_default())?;
            let mut line = Vec::new();
            let response = protocol::native_password(password.as_bytes(), &challenge);
            protocol::answer(&mut line, &response);
            match self.authenticate(line, options, deadline).await {
                Ok(()) => return Ok(true),
                Err(error) => error,
            }
        } else {
            Error::server(3, "authtype".to_owned())
        };
        let again = refused.kind() == ErrorKind::Authentication && !self.broken;
        if !again || !self.secure || password.is_empty() {
            return Err(refused);
        }
        let mut line = Vec::new();
        protocol::password(&mut line, user, password);
        self.authenticate(line, options, deadline).await.map(|()| true)
    }
}

fn from_hexadecimal(digits: &[u8]) -> Result<Vec<u8>> {
    let byte = |pair: &[u8]| {
        let pair = std::str::from_utf8(pair).ok().filter(|pair| pair.len() == 2)?;
        let plain = pair.bytes().all(|digit| digit.is_ascii_hexdigit());
        plain.then(|| u8::from_str_radix(pair, 16).ok()).flatten()
    };
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    bytes.ok_or_else(|| Error::protocol("its challenge is none"))
}
