use crate::{Error, Result, Value};

const ESCAPE: u8 = 0x01;
const SHIFT: u8 = 0x40;
const FIRST_FREE: u8 = 0x10; // Bytes from here on stand for themselves.
const NULL: u8 = 0x00;

/// Appends the token of bytes or text.
pub fn append_bytes(out: &mut Vec<u8>, value: &[u8]) {
    let mut clean = 0;
    for (i, &byte) in value.iter().enumerate() {
        if byte < FIRST_FREE {
            out.extend_from_slice(&value[clean..i]);
            out.extend_from_slice(&[ESCAPE, byte + SHIFT]);
            clean = i + 1;
        }
    }
    out.extend_from_slice(&value[clean..]);
}

/// Appends the token of a value. Infinities and NaN are an [`Error::Value`].
pub fn append_argument(out: &mut Vec<u8>, value: &Value) -> Result<()> {
    match value {
        Value::Null => out.push(NULL),
        Value::Integer(number) => {
            if *number < 0 {
                out.push(b'-');
            }
            append_number(out, number.unsigned_abs());
        }
        Value::Unsigned(number) => append_number(out, *number),
        Value::Float(number) => append_float(out, *number)?,
        Value::Text(text) => append_bytes(out, text.as_bytes()),
        Value::Bytes(bytes) => append_bytes(out, bytes),
    }
    Ok(())
}

pub(super) fn append_display(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    use std::io::Write;
    write!(out, "{value}").expect("a buffer takes everything");
}

/// Does without the formatting of the standard library, which takes several times as long.
pub(crate) fn append_number(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[first..]);
}

/// Both notations are the shortest digits that read back the same.
fn append_float(out: &mut Vec<u8>, number: f64) -> Result<()> {
    if !number.is_finite() {
        return Err(Error::value(format!("{number} is no value of a column")));
    }
    let size = number.abs();
    if size != 0.0 && !(1e-5..1e16).contains(&size) {
        append_display(out, format_args!("{number:e}"));
    } else {
        append_display(out, number);
    }
    Ok(())
}

pub(super) fn append_list(out: &mut Vec<u8>, values: &[Value]) -> Result<()> {
    append_number(out, values.len() as u64);
    for value in values {
        out.push(b'\t');
        append_argument(out, value)?;
    }
    Ok(())
}

/// Refuses a name that would need an escape. In P it would not even be read.
pub(super) fn check_name(name: &str) -> Result<()> {
    if name.bytes().any(|byte| byte < FIRST_FREE) {
        return Err(Error::value(format!("{name:?} has a control character")));
    }
    Ok(())
}

/// The value of a token; `None` is NULL.
pub fn parse_token(token: &[u8]) -> Result<Option<Vec<u8>>> {
    let mut bytes = token.to_vec();
    let length = unescape(&mut bytes)?;
    Ok(length.map(|length| {
        bytes.truncate(length);
        bytes
    }))
}

/// The first place of a byte.
pub(super) fn find_byte(wanted: u8, bytes: &[u8]) -> Option<usize> {
    find(|byte| byte == wanted, bytes)
}

/// The first place of a byte that does not stand for itself.
pub(super) fn find_control(bytes: &[u8]) -> Option<usize> {
    find(|byte| byte < FIRST_FREE, bytes)
}

fn find(is_wanted: impl Fn(u8) -> bool, bytes: &[u8]) -> Option<usize> {
    const BLOCK: usize = 16; // The compiler makes one comparison of all in a block.
    let is_without = |block: &&[u8]| !block.iter().fold(false, |has, &byte| has | is_wanted(byte));
    let start = BLOCK * bytes.chunks_exact(BLOCK).take_while(is_without).count();
    bytes[start..].iter().position(|&byte| is_wanted(byte)).map(|place| start + place)
}

/// Turns a token into its value in place, and returns the value's length; `None` is NULL.
pub(super) fn unescape(token: &mut [u8]) -> Result<Option<usize>> {
    if token == [NULL] {
        return Ok(None);
    }
    let first = match find_byte(ESCAPE, token) {
        None => return Ok(Some(token.len())),
        Some(first) => first,
    };
    let (mut read, mut written) = (first, first);
    while read < token.len() {
        let mut byte = token[read];
        if byte == ESCAPE {
            read += 1;
            byte = match token.get(read) {
                Some(shifted @ SHIFT..=0x4f) => shifted - SHIFT,
                _ => return Err(Error::protocol("it has an escape that is none")),
            };
        }
        token[written] = byte;
        read += 1;
        written += 1;
    }
    Ok(Some(written))
}
