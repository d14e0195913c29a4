use super::token::{append_argument, append_display, append_list};
use crate::{Error, Result, Value};

/// A list of key values that take the place of one part of the key, one after the other.
#[derive(Debug, Clone, Copy)]
pub struct In<'a> {
    /// The key part, from 0.
    pub part: u32,
    /// The list, of one value at least.
    pub values: &'a [Value],
    /// Finds all rows of each value (`&`), and not only the first one (`@`).
    pub all: bool,
}

/// Compares a filter column of the opened index with a value.
#[derive(Debug, Clone, Copy)]
pub struct Filter<'a> {
    /// `F`, which skips a row, or `W`, which ends the search.
    pub kind: &'a str,
    /// `=`, `!=`, `>`, `>=`, `<` or `<=`.
    pub op: &'a str,
    /// The filter column, from 0.
    pub column: u32,
    /// What the column is compared with.
    pub value: &'a Value,
}

/// A find, a count, or a change of what was found.
#[derive(Debug, Clone, Copy)]
pub struct Find<'a> {
    /// `=`, `=<`, `>`, `>=`, `<` or `<=`.
    pub op: &'a str,
    /// A value for each key part, or for the first ones.
    pub key: &'a [Value],
    /// Most rows.
    pub limit: u32,
    /// Rows to skip first.
    pub offset: u32,
    /// A list of values for a part of the key.
    pub within: Option<In<'a>>,
    /// All must hold.
    pub filters: &'a [Filter<'a>],
    /// Empty for a find, `C` for a count, or `U`, `D`, `+` or `-`, with `?` or `!` for rows.
    pub verb: &'a str,
    /// Those of a change, one for each opened column.
    pub values: &'a [Value],
}

const OPERATORS: [&str; 6] = ["=", "=<", ">", ">=", "<", "<="];
const COMPARISONS: [&str; 6] = ["=", "!=", ">", ">=", "<", "<="];
const CHANGES: [&str; 13] = ["", "C", "U", "D", "+", "-", "U?", "D?", "+?", "-?", "U!", "+!", "-!"];
const INSERTS: [&str; 11] = ["+", "+I", "+U", "+R", "+!", "+I!", "+U!", "+R!", "+I?", "+U?", "+R?"];

fn check(text: &str, allowed: &[&str], what: &str) -> Result<()> {
    if allowed.contains(&text) {
        return Ok(());
    }
    Err(Error::value(format!("{text:?} is no {what}")))
}

impl Find<'_> {
    /// Appends the request without the index id and without the end of the line.
    pub fn append(&self, out: &mut Vec<u8>) -> Result<()> {
        check(self.op, &OPERATORS, "operator of a find")?;
        check(self.verb, &CHANGES, "change")?;
        if self.key.is_empty() {
            return Err(Error::value("a key has one value at least"));
        }
        out.extend_from_slice(self.op.as_bytes());
        out.push(b'\t');
        append_list(out, self.key)?;
        let plain = self.within.is_none() && self.filters.is_empty() && self.verb.is_empty();
        if !plain || self.offset != 0 || self.limit != 1 {
            append_display(out, format_args!("\t{}", self.limit));
        }
        if !plain || self.offset != 0 {
            append_display(out, format_args!("\t{}", self.offset));
        }
        if let Some(within) = &self.within {
            within.append(out, self.key.len())?;
        }
        for filter in self.filters {
            filter.append(out)?;
        }
        self.append_change(out)
    }

    fn append_change(&self, out: &mut Vec<u8>) -> Result<()> {
        if !self.verb.is_empty() {
            append_display(out, format_args!("\t{}", self.verb));
        }
        if !self.values.is_empty() && (self.verb.is_empty() || self.verb.starts_with(['C', 'D'])) {
            return Err(Error::value("only a change takes values"));
        }
        for value in self.values {
            out.push(b'\t');
            append_argument(out, value)?;
        }
        Ok(())
    }
}

impl In<'_> {
    fn append(&self, out: &mut Vec<u8>, parts: usize) -> Result<()> {
        if self.part as usize >= parts {
            return Err(Error::value(format!("the key has no part {}", self.part)));
        }
        if self.values.is_empty() {
            return Err(Error::value("a list of values for a key has one value at least"));
        }
        let verb = if self.all { '&' } else { '@' };
        append_display(out, format_args!("\t{verb}\t{}\t", self.part));
        append_list(out, self.values)
    }
}

impl Filter<'_> {
    fn append(&self, out: &mut Vec<u8>) -> Result<()> {
        check(self.kind, &["F", "W"], "kind of a filter")?;
        check(self.op, &COMPARISONS, "operator of a filter")?;
        append_display(out, format_args!("\t{}\t{}\t{}\t", self.kind, self.op, self.column));
        append_argument(out, self.value)
    }
}

/// Adds a row, or does what its verb says when it is there already.
#[derive(Debug, Clone, Copy)]
pub struct Insert<'a> {
    /// `+`, `+I`, `+U` or `+R`, with `!` for the row afterwards, or `?` for the rows before.
    pub verb: &'a str,
    /// Those of the first opened columns.
    pub values: &'a [Value],
    /// What `+U` sets the first opened columns to; `None` is the same as `values`.
    pub update: Option<&'a [Value]>,
}

impl Insert<'_> {
    /// Appends the request without the index id and without the end of the line.
    pub fn append(&self, out: &mut Vec<u8>) -> Result<()> {
        check(self.verb, &INSERTS, "kind of an insert")?;
        append_display(out, format_args!("{}\t", self.verb));
        append_list(out, self.values)?;
        if let Some(update) = self.update {
            if !self.verb.starts_with("+U") {
                let what = format!("{} takes no values for an update", self.verb);
                return Err(Error::value(what));
            }
            out.push(b'\t');
            append_list(out, update)?;
        }
        Ok(())
    }
}
