use std::time::{Duration, SystemTime};

use crate::{time, Error, Result};

/// A value of a column, or one that is sent.
///
/// DECIMAL, dates and times are text, as SQL writes them: the standard library has no type that
/// holds them all.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// An integer beyond `i64::MAX`.
    Unsigned(u64),
    /// A FLOAT or DOUBLE. Infinities and NaN cannot be sent.
    Float(f64),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl Value {
    /// Whether it is NULL.
    pub fn is_null(&self) -> bool {
        *self == Value::Null
    }

    /// The text, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// The values for the columns of an index, or for its first ones: of one value, a tuple or a `Vec`.
#[derive(Debug, Clone, PartialEq)]
pub struct Key(pub Vec<Value>);

impl From<Vec<Value>> for Key {
    fn from(values: Vec<Value>) -> Self {
        Key(values)
    }
}

macro_rules! values {
    ($($type:ty: $value:pat => $made:expr;)*) => { $(
        impl From<$type> for Value {
            fn from($value: $type) -> Self {
                $made
            }
        }

        impl From<$type> for Key {
            fn from(value: $type) -> Self {
                Key(vec![value.into()])
            }
        }
    )* };
}

values! {
    i8: number => Value::Integer(number.into());
    i16: number => Value::Integer(number.into());
    i32: number => Value::Integer(number.into());
    i64: number => Value::Integer(number);
    u8: number => Value::Integer(number.into());
    u16: number => Value::Integer(number.into());
    u32: number => Value::Integer(number.into());
    u64: number => i64::try_from(number).map_or(Value::Unsigned(number), Value::Integer);
    f32: number => Value::Float(shortest(number));
    f64: number => Value::Float(number);
    bool: truth => Value::Integer(truth.into());
    &str: text => Value::Text(text.to_owned());
    &String: text => Value::Text(text.clone());
    String: text => Value::Text(text);
    &[u8]: bytes => Value::Bytes(bytes.to_vec());
    Vec<u8>: bytes => Value::Bytes(bytes);
    SystemTime: moment => Value::Text(time::to_datetime(moment));
    Duration: time => Value::Text(time::to_time(time));
}

impl From<Value> for Key {
    fn from(value: Value) -> Self {
        Key(vec![value])
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Value::Null, Into::into)
    }
}

macro_rules! tuples {
    ($($($type:ident $place:tt)*;)*) => { $(
        impl<$($type: Into<Value>),*> From<($($type,)*)> for Key {
            fn from(parts: ($($type,)*)) -> Self {
                Key(vec![$(parts.$place.into()),*])
            }
        }
    )* };
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
}

/// The double whose shortest digits are those of the float.
fn shortest(number: f32) -> f64 {
    number.to_string().parse().unwrap_or_else(|_| number.into())
}

/// What a [`Value`] can be converted to. Nothing is rounded or cut: what does not fit is an
/// [`Error::Value`]. `Option` takes NULL.
pub trait FromValue: Sized {
    /// Converts the value.
    fn from_value(value: &Value) -> Result<Self>;
}

fn mismatch<T>(value: &Value) -> Error {
    let mut shown = format!("{value:?}");
    if let Some((end, _)) = shown.char_indices().nth(60) {
        shown.truncate(end);
        shown.push('…');
    }
    Error::value(format!("{shown} is no {}", std::any::type_name::<T>()))
}

macro_rules! from_value {
    ($($type:ty: $($value:pat => $made:expr),*;)*) => { $(
        impl FromValue for $type {
            fn from_value(value: &Value) -> Result<Self> {
                let made: Option<$type> = match value {
                    $($value => $made,)*
                    _ => None,
                };
                made.ok_or_else(|| mismatch::<$type>(value))
            }
        }
    )* };
}

macro_rules! from_integer {
    ($($type:ty)*) => {
        from_value! { $(
            $type:
                Value::Integer(number) => <$type>::try_from(*number).ok(),
                Value::Unsigned(number) => <$type>::try_from(*number).ok(),
                Value::Text(digits) => digits.parse().ok();
        )* }
    };
}

from_integer! { i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize }

from_value! {
    f64:
        Value::Float(number) => Some(*number),
        Value::Integer(number) => exact(*number as f64, *number as i128),
        Value::Unsigned(number) => exact(*number as f64, *number as i128),
        Value::Text(digits) => digits.parse().ok().filter(|number: &f64| number.is_finite());
    f32:
        Value::Float(number) => Some(*number as f32).filter(|near| shortest(*near) == *number);
    bool:
        Value::Integer(0) => Some(false),
        Value::Integer(1) => Some(true);
    String:
        Value::Text(text) => Some(text.clone()),
        Value::Bytes(bytes) => String::from_utf8(bytes.clone()).ok();
    Vec<u8>:
        Value::Bytes(bytes) => Some(bytes.clone()),
        Value::Text(text) => Some(text.clone().into_bytes());
    SystemTime:
        Value::Text(text) => time::parse_datetime(text);
    Duration:
        Value::Text(text) => time::parse_time(text);
}

fn exact(float: f64, number: i128) -> Option<f64> {
    Some(float).filter(|float| *float as i128 == number)
}

impl FromValue for Value {
    fn from_value(value: &Value) -> Result<Self> {
        Ok(value.clone())
    }
}

impl<T: FromValue> FromValue for Option<T> {
    fn from_value(value: &Value) -> Result<Self> {
        match value {
            Value::Null => Ok(None),
            value => T::from_value(value).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::append_argument;

    fn token(value: impl Into<Value>) -> String {
        let mut out = Vec::new();
        append_argument(&mut out, &value.into()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_have_their_tokens() {
        assert_eq!(token(-5), "-5");
        assert_eq!(token(u64::MAX), "18446744073709551615");
        assert_eq!(token(true), "1");
        assert_eq!(token(0.1), "0.1");
        assert_eq!(token(0.1f32), "0.1");
        assert_eq!(token(1e300), "1e300");
        assert_eq!(token(-2.5e-7), "-2.5e-7");
        assert_eq!(token(f64::MAX).parse(), Ok(f64::MAX));
        assert_eq!(token(0.0), "0");
        assert_eq!(token(None::<i32>), "\0");
        assert_eq!(token(Some("a\tb")), "a\x01Ib");
        assert_eq!(token(vec![0u8]), "\x01@");
    }

    #[test]
    fn infinities_cannot_be_sent() {
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::from(f32::INFINITY)] {
            assert!(append_argument(&mut Vec::new(), &number.into()).is_err());
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(u8::from_value(&Value::Integer(255)), Ok(255));
        assert!(u8::from_value(&Value::Integer(256)).is_err());
        assert!(u64::from_value(&Value::Integer(-1)).is_err());
        assert!(i64::from_value(&Value::Unsigned(u64::MAX)).is_err());
        assert!(f64::from_value(&Value::Integer((1 << 53) + 1)).is_err());
        assert!(f32::from_value(&Value::Float(0.123_456_789_012)).is_err());
        assert_eq!(f32::from_value(&Value::Float(0.1)), Ok(0.1));
        assert!(bool::from_value(&Value::Integer(2)).is_err());
        assert!(String::from_value(&Value::Null).is_err());
        assert!(String::from_value(&Value::Integer(1)).is_err());
        assert!(String::from_value(&Value::Bytes(vec![0xff])).is_err());
        assert_eq!(Option::<String>::from_value(&Value::Null), Ok(None));
        assert_eq!(f64::from_value(&Value::Text("1.50".into())), Ok(1.5));
        for none in ["inf", "NaN", "1e999", "0x1", ""] {
            assert!(f64::from_value(&Value::Text(none.into())).is_err(), "{none}");
        }
        assert_eq!(i64::from_value(&Value::Text("30".into())), Ok(30));
        let long = String::from_value(&Value::Bytes(vec![0xff; 1000])).unwrap_err();
        assert!(long.to_string().chars().count() < 100, "{long}");
    }

    #[test]
    fn keys_are_made_of_values_and_tuples() {
        assert_eq!(Key::from(7), Key(vec![Value::Integer(7)]));
        let two = Key::from(("a", None::<i32>));
        assert_eq!(two, Key(vec![Value::Text("a".into()), Value::Null]));
    }
}
