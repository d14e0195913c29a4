use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
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
pub(crate) struct Layouts {
    known: Mutex<BTreeMap<TableName, Arc<Layout>>>,
    version: AtomicU64,
}

impl Layouts {
    pub(crate) fn find(&self, table: &TableName) -> Option<Arc<Layout>> {
        lock(&self.known).get(table).map(Arc::clone)
    }

    pub(crate) fn add(&self, table: &TableName, layout: &Arc<Layout>) {
        let mut known = lock(&self.known);
        known.insert(table.clone(), Arc::clone(layout));
        self.change_version();
    }

    pub(crate) fn forget(&self, table: &TableName) {
        let mut known = lock(&self.known);
        known.remove(table);
        self.change_version();
    }

    /// Under the same one, but 0, the same is known. No two clients have the same one.
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    fn change_version(&self) {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let version = 1 + LAST.fetch_add(1, Ordering::Relaxed);
        self.version.store(version, Ordering::Release);
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

    /// Makes a record of the first row of such a reply, if there is one. A value alone keeps the reply's
    /// memory.
    pub(crate) fn first<R: FromRow>(&self, reply: Reply) -> Result<Option<R>> {
        if reply.len() != 1 || self.columns.len() != 1 {
            return (reply.rows() > 0).then(|| self.row(&reply, 0)).transpose();
        }
        let values = vec![self.value(0, reply.into_only())?];
        R::from_row(Row::from_parts(Arc::clone(&self.columns), values)).map(Some)
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

    fn value<B>(&self, place: usize, value: Option<B>) -> Result<Value>
    where
        B: AsRef<[u8]> + Into<Vec<u8>>,
    {
        let bytes = match value {
            None => return Ok(Value::Null),
            Some(bytes) => bytes,
        };
        let kind = self.kinds.as_ref().map_or(Kind::Bytes, |kinds| kinds[place]);
        if kind == Kind::Bytes {
            return Ok(Value::Bytes(bytes.into()));
        } else if !kind.is_number() {
            let text = String::from_utf8(bytes.into()).map(Value::Text);
            return Ok(text.unwrap_or_else(|error| Value::Bytes(error.into_bytes())));
        }
        let digits = match std::str::from_utf8(bytes.as_ref()) {
            Ok(digits) => digits,
            Err(_) => return Ok(Value::Bytes(bytes.into())),
        };
        let integer = || digits.parse().map(Value::Integer).ok();
        let unsigned = || digits.parse().map(Value::Unsigned).ok();
        let number = match kind {
            Kind::Integer => integer().or_else(unsigned),
            _ => digits.parse().map(Value::Float).ok(),
        };
        number.ok_or_else(|| {
            let shown = String::from_utf8_lossy(&bytes.as_ref()[..digits.len().min(40)]);
            Error::value(format!("column {}: {shown:?} is no number", self.columns[place]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_has_another_version_after_each_change_and_in_each_client() {
        let (some, others) = (Layouts::default(), Layouts::default());
        let table = TableName::default();
        let layout = Arc::new(Layout::new(Vec::new(), &[]));
        assert_eq!(some.version(), 0);
        some.add(&table, &layout);
        let added = some.version();
        others.add(&table, &layout);
        assert_ne!(others.version(), added);
        some.forget(&table);
        assert!(![0, added, others.version()].contains(&some.version()));
    }
}
