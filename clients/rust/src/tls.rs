use std::io;
use std::net::IpAddr;

use openssl::error::ErrorStack;
use openssl::ssl::{
    ErrorCode, Ssl, SslContext, SslFiletype, SslMethod, SslMode, SslStream, SslVerifyMode,
    SslVersion,
};

use crate::options::Tls;
use crate::socket::Handle;
use crate::stream::{Stuck, Wants};
use crate::{Error, Options, Result};

/// What a connection to a host needs for its handshake.
pub(crate) fn new_ssl(options: &Options, host: &str) -> Result<Ssl> {
    let context = new_context(options)?;
    let name = options.tls_name.as_deref().unwrap_or(host);
    with_name(&context, name).map_err(|error| Error::configuration("tls_name", error))
}

fn new_context(options: &Options) -> Result<SslContext> {
    let any = |error: ErrorStack| Error::configuration("tls", error);
    let mut builder = SslContext::builder(SslMethod::tls_client()).map_err(any)?;
    builder.set_min_proto_version(Some(SslVersion::TLS1_2)).map_err(any)?;
    builder.set_mode(SslMode::ENABLE_PARTIAL_WRITE | SslMode::ACCEPT_MOVING_WRITE_BUFFER);
    builder.set_verify(match options.tls {
        Tls::Verify => SslVerifyMode::PEER,
        Tls::Off | Tls::Require => SslVerifyMode::NONE,
    });
    match &options.tls_ca {
        Some(file) => builder.set_ca_file(file).map_err(|e| Error::configuration("tls_ca", e))?,
        None => builder.set_default_verify_paths().map_err(any)?,
    }
    if let (Some(certificate), Some(key)) = (&options.tls_cert, &options.tls_key) {
        builder
            .set_certificate_chain_file(certificate)
            .map_err(|error| Error::configuration("tls_cert", error))?;
        builder
            .set_private_key_file(key, SslFiletype::PEM)
            .and_then(|()| builder.check_private_key())
            .map_err(|error| Error::configuration("tls_key", error))?;
    }
    Ok(builder.build())
}

/// The name is looked for in the certificate, where that is verified.
fn with_name(context: &SslContext, name: &str) -> Result<Ssl, ErrorStack> {
    let mut ssl = Ssl::new(context)?;
    match name.parse::<IpAddr>() {
        Ok(address) => ssl.param_mut().set_ip(address)?,
        Err(_) => {
            ssl.set_hostname(name)?;
            ssl.param_mut().set_host(name)?;
        }
    }
    Ok(ssl)
}

/// TLS over a socket.
#[derive(Debug)]
pub(crate) struct TlsStream(SslStream<Handle>);

impl TlsStream {
    pub(crate) fn new(ssl: Ssl, handle: Handle) -> io::Result<Self> {
        Ok(TlsStream(SslStream::new(ssl, handle)?))
    }

    pub(crate) fn shake_hands(&mut self) -> Result<(), Stuck> {
        self.0.connect().map_err(|error| {
            let reason = self.0.ssl().verify_result();
            match stuck(error) {
                Stuck::Failed(error) if reason.as_raw() != 0 => {
                    let what = format!("tls: {}: {error}", reason.error_string());
                    Stuck::Failed(io::Error::new(io::ErrorKind::Other, what))
                }
                other => other,
            }
        })
    }

    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Stuck> {
        match self.0.ssl_read(buffer) {
            Err(error) if error.code() == ErrorCode::ZERO_RETURN => Ok(0),
            result => result.map_err(stuck),
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, Stuck> {
        self.0.ssl_write(bytes).map_err(stuck)
    }

    /// Tells the other end that nothing more will come. Nobody waits for an answer.
    pub(crate) fn say_goodbye(&mut self) {
        let _ = self.0.shutdown();
    }
}

fn stuck(error: openssl::ssl::Error) -> Stuck {
    match error.code() {
        ErrorCode::WANT_READ => Stuck::Wants(Wants::Read),
        ErrorCode::WANT_WRITE => Stuck::Wants(Wants::Write),
        _ => Stuck::Failed(error.into_io_error().unwrap_or_else(|error| {
            let end = error.ssl_error().is_none(); // The socket's end without a close_notify.
            let kind = if end { io::ErrorKind::UnexpectedEof } else { io::ErrorKind::Other };
            io::Error::new(kind, format!("tls: {error}"))
        })),
    }
}
