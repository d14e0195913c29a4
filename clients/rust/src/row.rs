use std::ops::Index;
use std::sync::Arc;

use crate::{Error, FromValue, Result, Value};

/// A row: values by the names of their columns, in their order.
///
/// ```
/// use handlersocket2::{row, Row};
///
/// let row: Row = row! { "user_id" => 7, "user_name" => "x" };
/// assert_eq!(row.get::<u32>("user_id"), Ok(7));
/// assert_eq!(row["user_name"].as_str(), Some("x"));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Row {
    columns: Arc<Vec<String>>,
    values: Vec<Value>,
}

impl Row {
    /// An empty row.
    pub fn new() -> Self {
        Row::default()
    }

    /// Each name must have its value.
    pub(crate) fn from_parts(columns: Arc<Vec<String>>, values: Vec<Value>) -> Self {
        Row { columns, values }
    }

    /// Sets a column: it is added behind the others, unless it is there already.
    pub fn set(&mut self, column: impl Into<String>, value: impl Into<Value>) {
        let column = column.into();
        match self.place(&column) {
            Some(place) => self.values[place] = value.into(),
            None => {
                Arc::make_mut(&mut self.columns).push(column);
                self.values.push(value.into());
            }
        }
    }

    /// The row with this column set.
    #[must_use]
    pub fn with(mut self, column: impl Into<String>, value: impl Into<Value>) -> Self {
        self.set(column, value);
        self
    }

    fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }

    /// The value of a column, if the row has it.
    pub fn value(&self, column: &str) -> Option<&Value> {
        self.place(column).map(|place| &self.values[place])
    }

    /// The value of a column as a type. A column that is not there, NULL for what is no `Option`, and a
    /// value that does not fit are an [`Error::Value`].
    pub fn get<T: FromValue>(&self, column: &str) -> Result<T> {
        let value = self.value(column);
        let value = value.ok_or_else(|| Error::value(format!("there is no column {column}")))?;
        T::from_value(value).map_err(|error| Error::value(format!("column {column}: {error}")))
    }

    /// The row as a record.
    pub fn to<T: FromRow>(&self) -> Result<T> {
        T::from_row(self.clone())
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The values, in the order of the columns.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// How many columns there are.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Columns and values, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.columns.iter().map(String::as_str).zip(&self.values)
    }
}

impl Index<&str> for Row {
    type Output = Value;

    /// The value of a column. Panics when there is no such column; [`Row::value`] does not.
    fn index(&self, column: &str) -> &Value {
        self.value(column).unwrap_or_else(|| panic!("there is no column {column}"))
    }
}

impl<C: Into<String>, V: Into<Value>> FromIterator<(C, V)> for Row {
    fn from_iter<I: IntoIterator<Item = (C, V)>>(pairs: I) -> Self {
        let mut row = Row::new();
        for (column, value) in pairs {
            row.set(column, value);
        }
        row
    }
}

/// Makes a [`Row`] of `column => value` pairs.
#[macro_export]
macro_rules! row {
    ($($column:expr => $value:expr),* $(,)?) => {
        $crate::Row::new()$(.with($column, $value))*
    };
}

/// What a row can be read as: [`Row`], and records that [`record!`](crate::record) declares.
pub trait FromRow: Sized {
    /// The columns to read where the table was named without any; `None`: all.
    fn columns() -> Option<Vec<String>> {
        None
    }

    /// Makes the record of a row.
    fn from_row(row: Row) -> Result<Self>;
}

impl FromRow for Row {
    fn from_row(row: Row) -> Result<Self> {
        Ok(row)
    }
}

/// Declares a struct that rows are read as and made of; its fields are columns.
///
/// ```
/// handlersocket2::record! {
///     /// A user of the shop.
///     #[derive(Debug)]
///     pub struct User {
///         pub user_id: u32,
///         pub user_name: Option<String>,
///     }
/// }
///
/// let row = handlersocket2::Row::from(User { user_id: 7, user_name: None });
/// assert_eq!(row.to::<User>().unwrap().user_id, 7);
/// ```
#[macro_export]
macro_rules! record {
    (
        $(#[$attribute:meta])* $visibility:vis struct $name:ident {
            $($(#[$of_field:meta])* $field_visibility:vis $field:ident: $type:ty),* $(,)?
        }
    ) => {
        $(#[$attribute])* $visibility struct $name {
            $($(#[$of_field])* $field_visibility $field: $type,)*
        }

        impl $crate::FromRow for $name {
            fn columns() -> ::std::option::Option<::std::vec::Vec<::std::string::String>> {
                Some(vec![$(stringify!($field).to_owned()),*])
            }

            fn from_row(row: $crate::Row) -> $crate::Result<Self> {
                Ok($name { $($field: row.get(stringify!($field))?),* })
            }
        }

        impl ::std::convert::From<$name> for $crate::Row {
            fn from(record: $name) -> Self {
                $crate::Row::new()$(.with(stringify!($field), record.$field))*
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::record! {
        #[derive(Debug, PartialEq)]
        struct User {
            user_id: u32,
            user_name: Option<String>,
        }
    }

    #[test]
    fn rows_become_records_and_records_rows() {
        let row = row! { "user_id" => 7, "user_name" => None::<&str>, "more" => 1 };
        assert_eq!(row.to(), Ok(User { user_id: 7, user_name: None }));
        let back = Row::from(User { user_id: 7, user_name: None });
        assert_eq!(back, row! { "user_id" => 7, "user_name" => Value::Null });
        assert_eq!(User::columns().unwrap(), ["user_id", "user_name"]);
    }

    #[test]
    fn a_value_that_is_not_there_is_an_error_with_its_column() {
        let row = row! { "user_id" => Value::Null };
        assert!(row.get::<u32>("user_id").unwrap_err().to_string().contains("column user_id"));
        assert!(row.get::<u32>("nosuch").unwrap_err().to_string().contains("nosuch"));
        assert!(row.to::<User>().is_err());
    }

    #[test]
    fn a_column_that_is_set_again_keeps_its_place() {
        let row = row! { "a" => 1, "b" => 2, "a" => 3 };
        assert_eq!(row.iter().collect::<Vec<_>>(), [("a", &Value::Integer(3)), ("b", &2.into())]);
    }
}
