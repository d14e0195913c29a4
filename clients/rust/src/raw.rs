use crate::call::Call;
use crate::draft::What;
use crate::request::Request;
use crate::Error;

/// One of the two ports of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// The read port.
    Read,
    /// The write port.
    Write,
}

/// A line of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawReply {
    /// 0, or the code of an error.
    pub code: u8,
    /// The second token.
    pub columns: usize,
    /// All values; an error has one, its text. NULL is `None`.
    pub values: Vec<Option<Vec<u8>>>,
}

/// A line of tokens as they are.
pub(crate) fn call(port: Port, tokens: &[&[u8]]) -> Call<RawReply> {
    let mut line = tokens.join(&b'\t');
    let request = if line.contains(&b'\n') {
        Err(Error::value("a token has the end of a line in it"))
    } else if matches!(line.first(), Some(b'0'..=b'9' | b'A' | b'P' | b'T')) {
        Err(Error::value(
            "an index, a login and a transaction are of one connection, which raw has not",
        ))
    } else {
        line.push(b'\n');
        let mut request = Request::of_line("raw", line, "");
        request.change = port == Port::Write;
        request.raw = true;
        Ok(request)
    };
    Call::new("raw", What::Line(Box::new(request)), |reply, _| {
        Ok(RawReply {
            code: reply.code(),
            columns: reply.columns(),
            values: reply.values().map(|value| value.map(<[u8]>::to_vec)).collect(),
        })
    })
}
