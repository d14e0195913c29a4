use super::token::{find_byte, find_control, unescape};
use crate::{Error, Result};

/// The bound of one reply: the largest that a server sends, in bytes.
pub const DEFAULT_MAX_REPLY: usize = 64 << 20;

const FIRST_BUFFER: usize = 16 << 10;
const KEPT_BUFFER: usize = 1 << 20; // A larger buffer is given up when it is empty.

const PLACE: usize = 8; // Bytes for where a value begins and ends.

/// One line of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    code: u8,
    columns: usize,
    count: usize,
    text: usize,    // Bytes of the values, each but the last with a TAB behind it.
    bytes: Vec<u8>, // The values, and behind them their places, so that there is one allocation.
}

impl Reply {
    /// 0, or the code of an error: 1, 2 or 3.
    pub fn code(&self) -> u8 {
        self.code
    }

    /// The second token: how many columns a row has.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How many values there are in all rows. An error has one: its text.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.count.checked_div(self.columns).unwrap_or(0)
    }

    /// A value by its place; `None` is NULL.
    pub fn value(&self, place: usize) -> Option<&[u8]> {
        if place >= self.count {
            return None;
        }
        let at = self.text + place * PLACE;
        self.bytes.get(number(&self.bytes[at..])..number(&self.bytes[at + PLACE / 2..]))
    }

    /// The only value of a reply, without a copy.
    pub(crate) fn into_only(mut self) -> Option<Vec<u8>> {
        let length = self.value(0)?.len(); // It stands at the beginning.
        self.bytes.truncate(length);
        Some(self.bytes)
    }

    /// All values of all rows, in their order; `None` is NULL.
    pub fn values(&self) -> impl Iterator<Item = Option<&[u8]>> {
        (0..self.len()).map(|place| self.value(place))
    }

    /// The text of an error.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.value(0).unwrap_or_default()).into_owned()
    }

    /// The error of an error line.
    pub fn error(&self) -> Option<Error> {
        (self.code != 0).then(|| Error::server(self.code, self.text()))
    }

    fn parse(line: &[u8], most_values: usize) -> Result<Reply> {
        match line.strip_prefix(b"0\t1\t") {
            // As most are: one value, which stands for itself.
            Some(value) if most_values > 0 && find_control(value).is_none() => {
                let text = value.len();
                let bytes = Vec::with_capacity(text + PLACE);
                let mut reply = Reply { code: 0, columns: 1, count: 0, text, bytes };
                reply.bytes.extend_from_slice(value);
                reply.push(0, Some(text));
                return Ok(reply);
            }
            _ => {}
        }
        let mut tokens = line.splitn(3, |&byte| byte == b'\t');
        let (code, columns) = match (tokens.next(), tokens.next()) {
            (Some([digit @ b'0'..=b'9']), Some(columns)) => (digit - b'0', parse_number(columns)?),
            _ => return Err(Error::protocol("it does not begin with a code")),
        };
        let rest = tokens.next();
        let text = rest.map_or(0, <[u8]>::len);
        let mut reply = Reply { code, columns, count: 0, text, bytes: Vec::new() };
        if code != 0 {
            reply.take_error(rest)?;
        } else if let Some(values) = rest {
            reply.take_values(values, most_values)?;
        }
        if code == 0 && reply.count > 0 && (columns == 0 || reply.count % columns != 0) {
            let what = format!("{} values are no rows of {columns}", reply.count);
            return Err(Error::protocol(what));
        }
        Ok(reply)
    }

    fn take_error(&mut self, text: Option<&[u8]>) -> Result<()> {
        match text {
            Some(text) if self.columns == 1 && !text.is_empty() && !text.contains(&b'\t') => {
                self.bytes.extend_from_slice(text);
                self.push(0, Some(text.len()));
                Ok(())
            }
            _ => Err(Error::protocol("it is no error of one text")),
        }
    }

    fn take_values(&mut self, values: &[u8], most: usize) -> Result<()> {
        // There is one row at least, and each value but the last has a TAB behind it.
        let likely = self.columns.min(most).min(1 + values.len());
        self.bytes.reserve(values.len() + PLACE * likely);
        self.bytes.extend_from_slice(values);
        let mut start = 0;
        loop {
            if self.count == most {
                return Err(Error::protocol("it has more values than were asked for"));
            }
            let clean = start + find_control(&values[start..]).unwrap_or(values.len() - start);
            let (end, length) = match values.get(clean) {
                None | Some(b'\t') => (clean, Some(clean - start)), // As most are: it is its value.
                _ => {
                    let end =
                        clean + find_byte(b'\t', &values[clean..]).unwrap_or(values.len() - clean);
                    (end, unescape(&mut self.bytes[start..end])?)
                }
            };
            self.push(start, length);
            if end == values.len() {
                return Ok(());
            }
            start = end + 1;
        }
    }

    /// Adds the place of a value; without a length it is NULL, whose end stands before its start.
    fn push(&mut self, start: usize, length: Option<usize>) {
        let (start, end) = length.map_or((1, 0), |length| (start, start + length));
        self.bytes.extend_from_slice(&(start as u32).to_le_bytes());
        self.bytes.extend_from_slice(&(end as u32).to_le_bytes());
        self.count += 1;
    }
}

fn number(bytes: &[u8]) -> usize {
    let (first, _) = bytes.split_at(PLACE / 2);
    first.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte))
}

fn parse_number(digits: &[u8]) -> Result<usize> {
    if digits.is_empty() || digits.len() > 9 || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Error::protocol("its number of columns is none"));
    }
    Ok(digits.iter().fold(0, |number, digit| number * 10 + usize::from(digit - b'0')))
}

/// Turns bytes, which come in any pieces, into replies. After an error it is of no use any more.
#[derive(Debug)]
pub struct Reader {
    max_reply: usize,
    most_values: usize,
    buffer: Vec<u8>,
    start: usize,   // Where the next reply begins.
    scanned: usize, // There is no end of a line before this place.
    end: usize,
}

impl Default for Reader {
    fn default() -> Self {
        Reader::new(DEFAULT_MAX_REPLY)
    }
}

impl Reader {
    /// A reader with a bound for one reply, in bytes with its LF; no reply has 4 GiB.
    pub fn new(max_reply: usize) -> Self {
        Reader {
            max_reply: max_reply.min(u32::MAX as usize),
            most_values: usize::MAX,
            buffer: Vec::new(),
            start: 0,
            scanned: 0,
            end: 0,
        }
    }

    /// Bounds the values of one reply. Where they are short their list takes far more memory than the
    /// reply.
    pub fn set_most_values(&mut self, most: usize) {
        self.most_values = most;
    }

    /// Room to read into, of one byte at least. [`Reader::filled`] tells how much was read.
    pub fn space(&mut self) -> &mut [u8] {
        if self.start == self.end {
            if self.buffer.is_empty() || self.buffer.len() > KEPT_BUFFER {
                self.buffer = vec![0; FIRST_BUFFER];
            }
            (self.start, self.scanned, self.end) = (0, 0, 0);
        } else if self.end == self.buffer.len() {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.scanned, self.end) = (self.scanned - self.start, self.end - self.start);
            self.start = 0;
            if self.end > self.buffer.len() / 2 {
                self.buffer.resize(2 * self.buffer.len(), 0);
            }
        }
        &mut self.buffer[self.end..]
    }

    /// Says how many bytes of [`Reader::space`] were filled.
    pub fn filled(&mut self, count: usize) {
        self.end += count;
    }

    /// Takes a copy of the bytes.
    pub fn feed(&mut self, mut piece: &[u8]) {
        while !piece.is_empty() {
            let space = self.space();
            let count = space.len().min(piece.len());
            space[..count].copy_from_slice(&piece[..count]);
            self.filled(count);
            piece = &piece[count..];
        }
    }

    /// How many bytes there are behind the last reply.
    pub fn buffered(&self) -> usize {
        self.end - self.start
    }

    /// The next reply, or `None` when it is not whole yet. What is no reply is an
    /// [`Error::Protocol`].
    pub fn next_reply(&mut self) -> Result<Option<Reply>> {
        let found = find_byte(b'\n', &self.buffer[self.scanned..self.end]);
        let end = found.map_or(self.end, |found| self.scanned + found);
        self.scanned = end;
        // A line without its end may be as long as the bound, for its LF may be the next byte.
        if end - self.start + usize::from(found.is_some()) > self.max_reply {
            let what = format!("it is longer than {} bytes", self.max_reply);
            return Err(Error::protocol(what));
        }
        if found.is_none() {
            return Ok(None);
        }
        let line = self.start..end;
        self.start = end + 1;
        self.scanned = self.start;
        Reply::parse(&self.buffer[line], self.most_values).map(Some)
    }
}
