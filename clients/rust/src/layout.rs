use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::describe::ColumnInfo;
use crate::protocol::{type_name, Kind, Reply};
use crate::request::TableName;
use crate::runtime::lock;
use crate::{Error, FromRow, Result, Row, Value};

/// What the client keeps of a table's columns.
#[derive(Debug)]
pub(crate) struct Layout {
    pub names: Arc<Vec<String>>,
    columns: BTreeMap<String, Column>,
}

#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub kind: Kind,
    pub nullable: bool,
    /// The name of its type, such as `int`.
    pub type_name: String,
}

impl Layout {
    /// Wanted columns that are not there have no type, so that they are not asked for again.
    pub(crate) fn new(columns: Vec<ColumnInfo>, wanted: &[String]) -> Self {
        let names = columns.iter().map(|column| column.column.clone()).collect();
        let known = |info: ColumnInfo| {
            let kind = Kind::of(&info.column_type);
            let type_name = type_name(&info.column_type);
            (info.column, Column { kind, nullable: info.nullable, type_name })
        };
        let missing = |name: &String| {
            let type_name = String::new();
            (name.clone(), Column { kind: Kind::Text, nullable: true, type_name })
        };
        let wanted = wanted.iter().map(missing);
        let columns = wanted.chain(columns.into_iter().map(known)).collect();
        Layout { names: Arc::new(names), columns }
    }

    pub(crate) fn has(&self, names: &[String]) -> bool {
        names.iter().all(|name| self.columns.contains_key(name))
    }

    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.get(name)
    }
}

/// The layouts of tables.
#[derive(Debug, Default)]
pub(crate) struct Layouts(Mutex<BTreeMap<TableName, Arc<Layout>>>);

impl Layouts {
    pub(crate) fn find(&self, table: &TableName) -> Option<Arc<Layout>> {
        lock(&self.0).get(table).map(Arc::clone)
    }

    pub(crate) fn add(&self, table: &TableName, layout: &Arc<Layout>) {
        lock(&self.0).insert(table.clone(), Arc::clone(layout));
    }

    pub(crate) fn forget(&self, table: &TableName) {
        lock(&self.0).remove(table);
    }
}

/// The columns of a reply, and as what their values are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    pub columns: Arc<Vec<String>>,
    /// `None`: bytes as they came.
    kinds: Option<Arc<[Kind]>>,
}

impl Shape {
    /// A server that does not tell its columns gives text.
    pub(crate) fn typed(columns: &Arc<Vec<String>>, layout: Option<&Layout>) -> Self {
        let column = |name: &String| layout.and_then(|layout| layout.column(name));
        let kind = |name| column(name).map_or(Kind::Text, |column| column.kind);
        let kinds = columns.iter().map(kind).collect();
        Shape { columns: Arc::clone(columns), kinds: Some(kinds) }
    }

    pub(crate) fn raw(columns: &Arc<Vec<String>>) -> Self {
        Shape { columns: Arc::clone(columns), kinds: None }
    }

    /// Whether a reply whose first columns are those of the shape has such values.
    pub(crate) fn fits(&self, reply: &Reply) -> bool {
        let kinds = self.kinds.as_deref().unwrap_or_default();
        let row = |row: usize| {
            let value = |place| reply.value(row * reply.columns() + place);
            let mut kinds = kinds.iter().enumerate();
            kinds.all(|(place, kind)| value(place).map_or(true, |value| kind.holds(value)))
        };
        !kinds.iter().any(|kind| kind.is_number()) || (0..reply.rows()).all(row)
    }

    /// Makes a record of the first row of such a reply, if there is one.
    pub(crate) fn first<R: FromRow>(&self, reply: &Reply) -> Result<Option<R>> {
        (reply.rows() > 0).then(|| self.row(reply, 0)).transpose()
    }

    /// Makes records of a reply whose first columns are those of the shape.
    pub(crate) fn rows<R: FromRow>(&self, reply: &Reply) -> Result<Vec<R>> {
        (0..reply.rows()).map(|row| self.row(reply, row * reply.columns())).collect()
    }

    fn row<R: FromRow>(&self, reply: &Reply, start: usize) -> Result<R> {
        let mut values = Vec::with_capacity(self.columns.len());
        for place in 0..self.columns.len() {
            values.push(self.value(place, reply.value(start + place))?);
        }
        R::from_row(Row::from_parts(Arc::clone(&self.columns), values))
    }

    fn value(&self, place: usize, value: Option<&[u8]>) -> Result<Value> {
        let bytes = match value {
            None => return Ok(Value::Null),
            Some(bytes) => bytes,
        };
        let kind = self.kinds.as_ref().map_or(Kind::Bytes, |kinds| kinds[place]);
        let number = match (kind, std::str::from_utf8(bytes)) {
            (Kind::Bytes, _) | (_, Err(_)) => return Ok(Value::Bytes(bytes.to_vec())),
            (Kind::Integer, Ok(digits)) => digits
                .parse()
                .map(Value::Integer)
                .ok()
                .or_else(|| digits.parse().map(Value::Unsigned).ok()),
            (Kind::Float, Ok(digits)) => digits.parse().map(Value::Float).ok(),
            (_, Ok(text)) => return Ok(Value::Text(text.to_owned())),
        };
        number.ok_or_else(|| {
            let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]);
            Error::value(format!("column {}: {shown:?} is no number", self.columns[place]))
        })
    }
}
