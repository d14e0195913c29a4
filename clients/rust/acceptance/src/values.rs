//! Values, rows and errors in JSON.

use handlersocket2::{Error, Result, Row, Value};
use serde_json::{json, Map, Value as Json};

const EXACT: u64 = 1 << 53;
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn encode_bytes(bytes: &[u8]) -> Json {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0, |bits, byte| bits << 8 | usize::from(*byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let sextet = ALPHABET[bits >> (18 - 6 * place) & 63];
            text.push(if place > chunk.len() { '=' } else { sextet.into() });
        }
    }
    json!({ "bytes": text })
}

fn decode_base64(text: &str) -> Vec<u8> {
    let mut sextet_of = [None; 256]; // To look through the alphabet for each byte would take a second for each megabyte.
    for (sextet, letter) in ALPHABET.iter().enumerate() {
        sextet_of[usize::from(*letter)] = Some(sextet);
    }
    let sextets: Vec<usize> =
        text.bytes().filter_map(|byte| sextet_of[usize::from(byte)]).collect();
    let mut bytes = Vec::new();
    for chunk in sextets.chunks(4) {
        let bits =
            chunk.iter().fold(0, |bits, sextet| bits << 6 | sextet) << (6 * (4 - chunk.len()));
        bytes.extend((1..chunk.len()).map(|place| (bits >> (24 - 8 * place)) as u8));
    }
    bytes
}

pub fn decode_bytes(value: &Json) -> Vec<u8> {
    match decode(value) {
        Value::Null => vec![0],
        Value::Bytes(bytes) => bytes,
        Value::Text(text) => text.into_bytes(),
        Value::Integer(number) => number.to_string().into_bytes(),
        other => format!("{other:?}").into_bytes(),
    }
}

pub fn decode(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(truth) => (*truth).into(),
        Json::String(text) => text.into(),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into(),
            (None, Some(number)) => number.into(),
            (None, None) => number.as_f64().unwrap_or(f64::NAN).into(),
        },
        Json::Array(_) => Value::Null,
        Json::Object(members) => match members.iter().next() {
            Some((kind, Json::String(text))) => match (kind.as_str(), text.parse::<u64>()) {
                ("bytes", _) => decode_base64(text).into(),
                ("integer", Ok(number)) => number.into(),
                ("integer", _) => text.parse::<i64>().map_or_else(|_| text.into(), Value::from),
                ("float", _) => text.parse::<f64>().unwrap_or(f64::NAN).into(),
                _ => text.into(),
            },
            _ => Value::Null,
        },
    }
}

pub fn decode_row(value: &Json) -> Row {
    let members = value.as_object().into_iter().flatten();
    members.map(|(name, value)| (name.as_str(), decode(value))).collect()
}

fn encode(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Integer(number) if number.unsigned_abs() > EXACT => {
            json!({ "integer": number.to_string() })
        }
        Value::Integer(number) => json!(number),
        Value::Unsigned(number) => json!({ "integer": number.to_string() }),
        Value::Float(number) => json!(number),
        Value::Text(text) => json!(text),
        Value::Bytes(bytes) => encode_bytes(bytes),
        _ => Json::Null,
    }
}

pub fn encode_row(row: &Row) -> Json {
    row.iter().map(|(name, value)| (name.to_owned(), encode(value))).collect::<Map<_, _>>().into()
}

pub fn encode_rows(rows: &[Row]) -> Json {
    rows.iter().map(encode_row).collect()
}

pub fn answer(result: Result<Json>) -> Json {
    match result {
        Ok(value) => json!({ "ok": value }),
        Err(error) => json!({ "error": describe(&error) }),
    }
}

fn describe(error: &Error) -> Json {
    let mut members = Map::new();
    members.insert("class".to_owned(), json!(error.kind().name()));
    members.insert("message".to_owned(), json!(error.to_string()));
    let mut add = |name: &str, value: Json| {
        if !value.is_null() {
            members.insert(name.to_owned(), value);
        }
    };
    add("code", json!(error.code()));
    add("text", json!(error.text()));
    add("number", json!(error.number()));
    add("sent", json!(error.sent()));
    members.into()
}
