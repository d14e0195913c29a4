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
