//! The way of most calls of the blocking API: a get by one value, on an idle connection that has the index
//! open, of a table whose columns are known. It does what [`Core::execute`] does. While a call waits, the
//! system's own code takes the processor's caches, so that a call costs as much as it has code.

use std::mem;
use std::sync::Arc;
use std::time::Instant;

use crate::core::Core;
use crate::draft::{Draft, What};
use crate::protocol::{append_argument, append_number, Reply};
use crate::request::About;
use crate::runtime::Mode;
use crate::target::Target;
use crate::{Error, Result};

const LONGEST: usize = 4 << 10; // Bytes, for which an idle socket always has room.

/// What came of a call.
pub(crate) enum Quick {
    /// Nothing was sent. The usual way is open.
    Not,
    Answer(Arc<About>, Result<Reply>),
    /// That of the first attempt.
    Lost(Error),
}

impl Target {
    pub(crate) fn quick(&self, draft: &Draft) -> Quick {
        match self {
            Target::Client(core) => core.quick(draft).unwrap_or(Quick::Not),
            Target::Transaction(_) => Quick::Not,
        }
    }
}

impl Core {
    fn quick(&self, draft: &Draft) -> Option<Quick> {
        let (table, key) = match &draft.what {
            What::Find { table, query: None, key, verb: "", values: None, reads: None } => {
                (table, &key.0)
            }
            _ => return None,
        };
        if self.mode != Mode::Blocking || !self.replicas.is_empty() || key.len() != 1 {
            return None;
        }
        let about = table.last.about(self.layouts.version())?;
        let columns = about.shape.columns.len();
        let now = Instant::now();
        let mut lease = self.read.take_trusted(now)?;
        let id = lease.indexes.find(about.spec.as_ref()?)?;
        let mut line = mem::take(&mut lease.work.lines);
        line.clear();
        append_number(&mut line, id.into());
        line.extend_from_slice(b"\t=\t1\t");
        let made = append_argument(&mut line, &key[0]).is_ok();
        line.push(b'\n');
        let is_short = made && line.len() <= LONGEST;
        let came =
            if is_short { lease.trade(&line, columns, now, self.options.timeout) } else { None };
        lease.work.lines = line;
        Some(match came? {
            Err(error) => Quick::Lost(error),
            Ok(reply) => {
                let answer = match reply.error() {
                    Some(error) => Err(error),
                    None if reply.columns() == columns && about.shape.fits(&reply) => Ok(reply),
                    None => Err(lease.astray()),
                };
                Quick::Answer(about, answer)
            }
        })
    }
}
