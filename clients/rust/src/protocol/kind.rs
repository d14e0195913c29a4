/// As what the values of a column come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Integer,
    Float,
    Decimal,
    Date,
    DateTime,
    Time,
    Text,
    Bytes,
}

impl Kind {
    /// The kind of a type as `D` has it, such as `int(10) unsigned`. What is unknown is text.
    pub fn of(column_type: &str) -> Kind {
        match type_name(column_type).as_str() {
            "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "year" => Kind::Integer,
            "float" | "double" => Kind::Float,
            "decimal" => Kind::Decimal,
            "date" => Kind::Date,
            "datetime" | "timestamp" => Kind::DateTime,
            "time" => Kind::Time,
            "binary" | "varbinary" | "bit" | "tinyblob" | "blob" | "mediumblob" | "longblob"
            | "geometry" | "point" | "linestring" | "polygon" | "multipoint"
            | "multilinestring" | "multipolygon" | "geometrycollection" => Kind::Bytes,
            _ => Kind::Text,
        }
    }

    pub(crate) fn is_number(self) -> bool {
        matches!(self, Kind::Integer | Kind::Float)
    }

    /// Whether a column of this kind can have a value. Of text any is taken.
    pub(crate) fn holds(self, value: &[u8]) -> bool {
        let of = |others: &[u8]| {
            let all = value.iter().all(|byte| byte.is_ascii_digit() || others.contains(byte));
            std::str::from_utf8(value).ok().filter(|_| all && value.first() != Some(&b'+'))
        };
        match self {
            Kind::Integer => of(b"-").map_or(false, |digits| {
                digits.parse::<i64>().is_ok() || digits.parse::<u64>().is_ok()
            }),
            Kind::Float => of(b"-+.eE")
                .and_then(|digits| digits.parse::<f64>().ok())
                .map_or(false, f64::is_finite),
            _ => true,
        }
    }

    /// Its name in the contract of the clients, such as `integer`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Integer => "integer",
            Kind::Float => "float",
            Kind::Decimal => "decimal",
            Kind::Date => "date",
            Kind::DateTime => "datetime",
            Kind::Time => "time",
            Kind::Text => "text",
            Kind::Bytes => "bytes",
        }
    }
}

/// The name of a type as `D` has it: `int` of `int(10) unsigned`.
pub(crate) fn type_name(column_type: &str) -> String {
    column_type.split(['(', ' ']).next().unwrap_or_default().to_ascii_lowercase()
}
