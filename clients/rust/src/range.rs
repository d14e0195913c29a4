use std::fmt;
use std::sync::Arc;

use crate::call::{Call, Calls};
use crate::draft::What;
use crate::layout::Shape;
use crate::protocol::Reply;
use crate::query::Query;
use crate::range_index::RangeIndex;
use crate::target::Target;
use crate::{Error, FromRow, Key, Result, Value};

const PAGE: u32 = 1_000;

/// From where to where a range of an index goes.
///
/// ```
/// # use handlersocket2::Range;
/// let range = Range::new().start(100).stop(200).page(500).filter("user_name", "!=", "x");
/// ```
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct Range {
    start: Option<Key>,
    stop: Option<Value>,
    reverse: bool,
    page: Option<Option<u32>>, // The inner one is none for a number that is no page.
    query: Query,
}

impl Range {
    /// The whole index.
    pub fn new() -> Self {
        Range::default()
    }

    /// The key with which it begins; without it, with the first row.
    pub fn start(mut self, key: impl Into<Key>) -> Self {
        self.start = Some(key.into());
        self
    }

    /// The first value of the index's first column that is not wanted any more.
    pub fn stop(mut self, value: impl Into<Value>) -> Self {
        self.stop = Some(value.into());
        self
    }

    /// Goes downwards. It needs a start.
    pub fn reverse(mut self) -> Self {
        self.reverse = true;
        self
    }

    /// How many rows are read at once; without it, 1000.
    pub fn page(mut self, rows: impl TryInto<u32>) -> Self {
        self.page = Some(rows.try_into().ok());
        self
    }

    /// Skips rows for which the comparison does not hold: `=` `!=` `>` `>=` `<` `<=`.
    pub fn filter(mut self, column: &str, op: &str, value: impl Into<Value>) -> Self {
        self.query = self.query.filter(column, op, value);
        self
    }

    /// Ends at the first row for which the comparison does not hold.
    pub fn take_while(mut self, column: &str, op: &str, value: impl Into<Value>) -> Self {
        self.query = self.query.take_while(column, op, value);
        self
    }
}

/// Goes along an index, one page at a time.
pub(crate) struct Pages<R> {
    target: Target,
    calls: Calls<R>,
    range: Option<Range>, // Until the first page.
    query: Query,
    page: u32,
    index: Option<RangeIndex>,
    reverse: bool,
    key: Key,
    behind: bool, // The page begins behind the key, and not with it.
    skip: u32,
    rows: std::vec::IntoIter<R>,
    done: bool,
}

impl<R> fmt::Debug for Pages<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").field("table", &self.calls).field("key", &self.key).finish()
    }
}

impl<R: FromRow> Pages<R> {
    pub(crate) fn new(target: Target, calls: Calls<R>, range: Range) -> Self {
        Pages {
            target,
            calls,
            reverse: range.reverse,
            range: Some(range),
            query: Query::new(),
            page: PAGE,
            index: None,
            key: Key(Vec::new()),
            behind: false,
            skip: 0,
            rows: Vec::new().into_iter(),
            done: false,
        }
    }

    /// The next row. After an error there are no more.
    pub(crate) async fn next(&mut self) -> Option<Result<R>> {
        loop {
            if let Some(row) = self.rows.next() {
                return Some(Ok(row));
            }
            if self.done {
                return None;
            }
            if let Err(error) = self.read_page().await {
                self.done = true;
                return Some(Err(error));
            }
        }
    }

    async fn prepare(&mut self, range: Range) -> Result<RangeIndex> {
        let page = range.page.unwrap_or(Some(PAGE)).filter(|page| *page > 0);
        self.page = page.ok_or_else(|| Error::value("a page has 1 to 4294967295 rows"))?;
        if range.reverse && range.start.is_none() {
            return Err(Error::value("a range that goes downwards needs its beginning"));
        }
        let table = self.calls.table();
        if let Some(error) = &table.error {
            return Err(error.clone());
        }
        let parts = self.target.index_columns(table).await?;
        let mut layout = self.target.layout(table).await?;
        if parts.iter().any(|part| layout.column(&part.column).is_none()) {
            layout = self.target.layout_anew(table).await?; // One may have been added.
        }
        let wanted = table.columns.as_ref().unwrap_or(&layout.names);
        let index = RangeIndex::new(parts, &layout, wanted);
        let mut query = range.query.limit(self.page);
        if let Some(stop) = range.stop {
            query = index.end(query, range.reverse, stop);
        }
        self.query = query;
        self.key = match range.start {
            Some(key) => key,
            None => self.lowest(&index).await?,
        };
        Ok(index)
    }

    async fn read_page(&mut self) -> Result<()> {
        if let Some(range) = self.range.take() {
            self.index = Some(self.prepare(range).await?);
        }
        let index = self.index.as_ref().ok_or_else(|| Error::value("the range has ended"))?;
        let op = match (self.reverse, self.behind) {
            (false, false) => ">=",
            (false, true) => ">",
            (true, false) => "<=",
            (true, true) => "<",
        };
        let query = self.query.clone().op(op).offset(self.skip);
        let what = self.page(query, &self.key, index.columns());
        let decode = |reply: Reply, shape: &Shape| Ok((shape.rows::<R>(&reply)?, reply));
        let call = Call::new("range", what, decode);
        let (mut rows, reply) = self.along(index, call).await?;
        self.done = rows.len() < self.page as usize;
        if !self.done {
            rows.truncate(self.advance(&reply).await?);
        }
        self.rows = rows.into_iter();
        Ok(())
    }

    /// Where the next page begins; how many rows of this one are given.
    ///
    /// The next page begins behind a key that has one row at most, and else with the rows of a key. A page
    /// ends in front of a key whose rows may not all be in it: the next page reads them again, so that rows
    /// which come or go meanwhile shift no others. Only of a key with more rows than a page has, the rows
    /// that were given are skipped by their number. Where a key cannot begin a page, the next one begins
    /// where this one did.
    async fn advance(&mut self, reply: &Reply) -> Result<usize> {
        let index = self.index.as_ref().ok_or_else(|| Error::value("the range has ended"))?;
        let too_many = || Error::value("more rows have the same key than an offset can skip");
        let count = reply.rows();
        if count > 0 && !index.can_begin(&index.key(reply, count - 1)) {
            self.skip = self.skip.checked_add(count as u32).ok_or_else(too_many)?;
            return Ok(count);
        }
        let mut runs = index.runs(reply).into_iter();
        let last = runs.next().ok_or_else(|| Error::protocol("a page has no rows"))?;
        if index.is_unique(&last.key) {
            (self.key, self.skip, self.behind) = (last.key, 0, true);
            return Ok(count);
        }
        let mut same = last.rows;
        for run in runs {
            if !self.is_same(index, &last.key, &run.key).await? {
                break;
            }
            same += run.rows;
        }
        if (same as usize) < count {
            (self.key, self.skip, self.behind) = (last.key, 0, false);
            return Ok(count - same as usize);
        }
        let again = self.skip > 0 && self.is_same(index, &last.key, &self.key).await?;
        let before = if again { self.skip } else { 0 };
        let skip = before.checked_add(same).ok_or_else(too_many)?;
        (self.key, self.skip, self.behind) = (last.key, skip, false);
        Ok(count)
    }

    /// A key with which the index begins. Where texts sort before the empty one it is that of the first.
    async fn lowest(&self, index: &RangeIndex) -> Result<Key> {
        let mut lowest = Key::from(index.lowest()?);
        if !index.begins_with_text() || lowest != Key::from("") {
            return Ok(lowest);
        }
        loop {
            let below = self.calls.count("<", lowest.clone(), None).named("range");
            let last = match self.along(index, below).await?.checked_sub(1) {
                Some(last) => last,
                None => return Ok(lowest),
            };
            let query = Query::new().op("<").offset(last);
            let reads = Arc::new(vec![index.first_column().to_owned()]);
            let what = self.page(query, &lowest, reads);
            let text = |reply: Reply, _: &Shape| Ok(reply.value(0).map(<[u8]>::to_vec));
            if let Some(text) = self.along(index, Call::new("range", what, text)).await? {
                lowest = Key::from(text);
            }
        }
    }

    fn page(&self, query: Query, key: &Key, reads: Arc<Vec<String>>) -> What {
        What::Find {
            table: Arc::clone(self.calls.table()),
            query: Some(Box::new(query)),
            key: key.clone(),
            verb: "",
            values: None,
            reads: Some(reads),
        }
    }

    /// Whether two keys stand at the same place of the index. Where their bytes differ the server knows.
    async fn is_same(&self, index: &RangeIndex, a: &Key, b: &Key) -> Result<bool> {
        if a == b || !index.has_same() || a.0.len() != b.0.len() {
            return Ok(a == b);
        }
        let query = index.equals(b).limit(1u32);
        Ok(self.along(index, self.calls.count("=", a.clone(), query).named("range")).await? > 0)
    }

    async fn along<T>(&self, index: &RangeIndex, call: Call<T>) -> Result<T> {
        self.target.run_along(call, self.calls.table(), |infos| index.is_of(infos)).await
    }
}
