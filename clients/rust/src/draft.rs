use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::describe::IndexInfo;
use crate::layout::{Layout, Shape};
use crate::protocol::{Insert, Open};
use crate::query::{self, Query};
use crate::request::{About, Body, Expect, Request, TableName};
use crate::runtime::lock;
use crate::{Error, Key, Result, Row};

/// A table, some of its columns and one of its indexes.
#[derive(Debug, Clone)]
pub(crate) struct TableSpec {
    pub name: Arc<TableName>,
    pub index: String,
    /// `None`: all.
    pub columns: Option<Arc<Vec<String>>>,
    /// Rows have bytes as they came.
    pub raw: bool,
    /// Of the name; each call returns it.
    pub error: Option<Error>,
    pub last: LastRead,
}

/// The last read, as most reads of a table are for the same columns. A table with other members begins
/// without it.
#[derive(Debug, Default)]
pub(crate) struct LastRead(Mutex<Option<Read>>);

#[derive(Debug)]
struct Read {
    version: u64, // That of the layouts when this one was known.
    layout: Option<Arc<Layout>>,
    about: Arc<About>,
}

impl Clone for LastRead {
    fn clone(&self) -> Self {
        LastRead::default()
    }
}

impl LastRead {
    /// The layout of the last read, if nothing else can be known of it by now.
    pub(crate) fn layout(&self, version: u64) -> Option<Arc<Layout>> {
        let last = lock(&self.0);
        last.as_ref().filter(|last| version != 0 && last.version == version)?.layout.clone()
    }

    /// The last read itself, under the same condition.
    pub(crate) fn about(&self, version: u64) -> Option<Arc<About>> {
        let last = lock(&self.0);
        let last = last.as_ref().filter(|last| version != 0 && last.version == version)?;
        Some(Arc::clone(&last.about))
    }

    fn find(&self, columns: &Arc<Vec<String>>, known: &Known) -> Option<Arc<About>> {
        let last = lock(&self.0);
        let same = |last: &&Read| {
            let pointer = |layout: &Option<Arc<Layout>>| layout.as_ref().map(Arc::as_ptr);
            Arc::ptr_eq(&last.about.shape.columns, columns)
                && last.version == known.version
                && pointer(&last.layout) == pointer(&known.layout)
        };
        last.as_ref().filter(same).map(|last| Arc::clone(&last.about))
    }
}

impl TableSpec {
    pub(crate) fn new(name: &str, database: Option<&str>) -> Self {
        let split = split_name(name, database);
        TableSpec {
            name: Arc::new(split.clone().unwrap_or_default()),
            index: "PRIMARY".to_owned(),
            columns: None,
            raw: false,
            error: split.err(),
            last: LastRead::default(),
        }
    }
}

impl TableSpec {
    /// The columns that it names.
    pub(crate) fn wanted(&self) -> &[String] {
        self.columns.as_deref().map_or(&[], Vec::as_slice)
    }

    /// Refuses what cannot be sent, before the server is asked for the columns.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let columns = self.wanted();
        if self.columns.is_some() && columns.is_empty() {
            return Err(Error::value("a table needs a column"));
        }
        let TableName { database, table } = &*self.name;
        let index = &self.index;
        Open { database, table, index, columns, filter_columns: &[] }.append(&mut Vec::new())
    }
}

/// The database and the table of `database.table`, or of `table` when the client has a database. Each part may stand
/// in backquotes, as in SQL.
pub(crate) fn split_name(full: &str, usual: Option<&str>) -> Result<TableName> {
    let parts = first_part(full).and_then(|(first, rest)| match rest.strip_prefix('.') {
        None if rest.is_empty() => Some((usual?.to_owned(), first)),
        Some(last) if last.starts_with('`') => {
            first_part(last).filter(|(_, rest)| rest.is_empty()).map(|(last, _)| (first, last))
        }
        Some(last) if !last.is_empty() => Some((first, last.to_owned())),
        _ => None,
    });
    parts
        .filter(|(database, _)| !database.is_empty())
        .map(|(database, table)| TableName { database, table })
        .ok_or_else(|| Error::value("a table has a name and a database: database.table"))
}

/// The part of a name that stands first, and what stands behind it.
fn first_part(text: &str) -> Option<(String, &str)> {
    let mut rest = match text.strip_prefix('`') {
        Some(rest) => rest,
        None => {
            let end = text.find('.').unwrap_or(text.len());
            return (end > 0).then(|| (text[..end].to_owned(), &text[end..]));
        }
    };
    let mut part = String::new();
    loop {
        let end = rest.find('`')?;
        part.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('`') {
            Some(more) => rest = more, // One backquote for two.
            None => return Some((part, rest)).filter(|(part, _)| !part.is_empty()),
        }
        part.push('`');
    }
}

/// A call before the columns that it needs are known.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub kind: &'static str,
    pub what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    /// A find, a count, or a change of what was found. A range reads columns of its own.
    Find {
        table: Arc<TableSpec>,
        query: Option<Box<Query>>,
        key: Key,
        verb: &'static str,
        values: Option<Row>,
        reads: Option<Arc<Vec<String>>>,
    },
    Insert {
        table: Arc<TableSpec>,
        verb: &'static str,
        row: Row,
        update: Option<Row>,
    },
    /// A line that needs no table.
    Line(Box<Result<Request>>),
}

/// Whether a call needs to know the table's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Nothing,
    /// Their types, if the server tells them.
    Types,
    /// Their names, too.
    Names,
}

/// What is known of the table when a call is made.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The table, and what calls need to know of it, where that is the same for the next call.
    pub of: Option<(Arc<TableSpec>, Need)>,
    pub layout: Option<Arc<Layout>>,
    /// That of the layouts before this one was looked for.
    pub version: u64,
    pub index: Vec<IndexInfo>,
}

fn gives_rows(verb: &str) -> bool {
    verb.is_empty() || verb.ends_with(['?', '!'])
}

fn needs_of_verb(verb: &str) -> &'static str {
    match verb.as_bytes() {
        [b'C', ..] => "count",
        [b'+', b'I' | b'U' | b'R', ..] => "upsert",
        [.., b'!'] => "returning",
        _ => "",
    }
}

impl Draft {
    pub(crate) fn table(&self) -> Option<&Arc<TableSpec>> {
        match &self.what {
            What::Find { table, .. } | What::Insert { table, .. } => Some(table),
            What::Line(_) => None,
        }
    }

    pub(crate) fn needs(&self) -> Need {
        let (table, verb, own) = match &self.what {
            What::Line(_) => return Need::Nothing,
            What::Find { table, verb, .. } => (table, *verb, !matches!(*verb, "" | "D?")),
            What::Insert { table, verb, .. } => (table, *verb, false),
        };
        match &table.columns {
            _ if !gives_rows(verb) => Need::Nothing,
            None if !own => Need::Names,
            _ if table.raw => Need::Nothing,
            _ => Need::Types,
        }
    }

    /// Whether the places of columns in the index must be known.
    pub(crate) fn needs_index(&self) -> bool {
        matches!(&self.what, What::Find { query: Some(query), .. } if query.list_column().is_some())
    }

    /// Makes the request. Its line is written into the buffer first, which can be used again.
    pub(crate) fn finish(self, known: &Known, line: &mut Vec<u8>) -> Result<Request> {
        line.clear();
        match self.what {
            What::Line(request) => *request,
            What::Find { table, query, key, verb, values, reads } => {
                let query = query.as_deref().unwrap_or(&query::NONE);
                let columns = match (verb, &values) {
                    ("" | "D?", _) => table_columns(&table, known).cloned().unwrap_or_default(),
                    ("C" | "D" | "D!", _) => Arc::default(),
                    (_, Some(values)) if !values.is_empty() => Arc::new(values.columns().to_vec()),
                    _ => return Err(no_column()),
                };
                let part = part(query, known)?;
                let values = values.as_ref().map_or(&[][..], Row::values);
                query.append(line, &key, verb, values, part)?;
                let needs = match query.needs() {
                    "" => needs_of_verb(verb),
                    feature => feature,
                };
                let change = !matches!(verb, "" | "C");
                let open = reads.as_ref().unwrap_or(&columns);
                let filters = query.filter_columns();
                let expect = if !gives_rows(verb) {
                    Expect::Count
                } else if verb.is_empty() && open.starts_with(&columns) {
                    Expect::Rows { columns: open.len(), most: query.most_rows() }
                } else {
                    Expect::rows(open.len()) // A range asks for a column of its index alone, too.
                };
                let about = if verb.is_empty() && filters.is_empty() && reads.is_none() {
                    read(&table, &columns, known)?
                } else if open.starts_with(&columns) {
                    let shape = shape(&table, &columns, verb, known);
                    about(&table, open, &filters, shape)?
                } else {
                    about(&table, open, &filters, Shape::default())?
                };
                Ok(request(self.kind, about, line, needs, change, expect))
            }
            What::Insert { row, .. } if row.columns().is_empty() => {
                Err(Error::value("a row has a column at least"))
            }
            What::Insert { table, verb, row, update } => {
                let row = update.as_ref().map_or(Ok(row.clone()), |front| reorder(row, front))?;
                let mut columns = row.columns().to_vec();
                if gives_rows(verb) {
                    for name in table_columns(&table, known).into_iter().flat_map(|all| all.iter())
                    {
                        if !columns.contains(name) {
                            columns.push(name.clone());
                        }
                    }
                }
                let columns = Arc::new(columns);
                let update = update.as_ref().map(Row::values);
                Insert { verb, values: row.values(), update }.append(line)?;
                let shape = shape(&table, &columns, verb, known);
                let about = about(&table, &columns, &[], shape)?;
                let expect = match verb {
                    "+" => Expect::Id,
                    "+I" => Expect::Added(0, 1),
                    "+U" => Expect::Added(0, 2),
                    "+R" => Expect::Added(1, u64::MAX),
                    _ => Expect::rows(columns.len()),
                };
                Ok(request(self.kind, about, line, needs_of_verb(verb), true, expect))
            }
        }
    }
}

fn no_column() -> Error {
    Error::value("there is no column to change")
}

fn table_columns<'a>(table: &'a TableSpec, known: &'a Known) -> Option<&'a Arc<Vec<String>>> {
    table.columns.as_ref().or_else(|| known.layout.as_ref().map(|layout| &layout.names))
}

fn shape(table: &TableSpec, columns: &Arc<Vec<String>>, verb: &str, known: &Known) -> Shape {
    if !gives_rows(verb) {
        Shape::default()
    } else if table.raw {
        Shape::raw(columns)
    } else {
        Shape::typed(columns, known.layout.as_deref())
    }
}

/// The place of a list's column in the index.
fn part(query: &Query, known: &Known) -> Result<u32> {
    match query.list_column() {
        None => Ok(0),
        Some(name) => match known.index.iter().position(|part| part.column == name) {
            Some(place) => Ok(place as u32),
            None => Err(Error::value(format!("the index has no column {name}"))),
        },
    }
}

/// A request that opens some columns.
fn about(
    table: &TableSpec,
    columns: &[String],
    filter_columns: &[String],
    shape: Shape,
) -> Result<Arc<About>> {
    let mut spec = Vec::new();
    let (name, index) = (&table.name, &table.index);
    let TableName { database, table } = &**name;
    Open { database, table, index, columns, filter_columns }.append(&mut spec)?;
    Ok(Arc::new(About { table: Arc::clone(name), spec: Some(spec.into()), shape }))
}

/// A read of the table's columns without a filter.
fn read(table: &TableSpec, columns: &Arc<Vec<String>>, known: &Known) -> Result<Arc<About>> {
    if let Some(last) = table.last.find(columns, known) {
        return Ok(last);
    }
    let about = about(table, columns, &[], shape(table, columns, "", known))?;
    let (version, layout) = (known.version, known.layout.clone());
    let read = Read { version, layout, about: Arc::clone(&about) };
    *lock(&table.last.0) = Some(read);
    Ok(about)
}

/// A line of an index.
fn request(
    kind: &'static str,
    about: Arc<About>,
    line: &mut Vec<u8>,
    needs: &'static str,
    change: bool,
    expect: Expect,
) -> Request {
    let body = Body::take(line);
    Request { kind, about, body, needs, change, raw: false, expect, patience: Duration::ZERO }
}

/// Moves the columns of an update to the front: it sets the first opened columns.
fn reorder(row: Row, front: &Row) -> Result<Row> {
    let mut ordered = Row::new();
    for name in front.columns() {
        let value = row
            .value(name)
            .ok_or_else(|| Error::value(format!("column {name} is updated and not in the row")))?;
        ordered.set(name, value.clone());
    }
    for (name, value) in row.iter().filter(|(name, _)| front.value(name).is_none()) {
        ordered.set(name, value.clone());
    }
    Ok(ordered)
}
