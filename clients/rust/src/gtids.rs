use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::protocol::{self, Reply};
use crate::request::{Expect, Request};
use crate::runtime::lock;

/// The GTIDs of the client's own last changes, one for each domain.
#[derive(Debug, Default)]
pub(crate) struct Gtids(Mutex<BTreeMap<String, String>>);

impl Gtids {
    /// Takes what the server has told, unless something newer is known.
    pub(crate) fn learn(&self, reply: &Reply) {
        if reply.len() != 1 {
            return; // A server without a binary log has none.
        }
        let list = String::from_utf8_lossy(reply.value(0).unwrap_or_default()).into_owned();
        let mut known = lock(&self.0);
        for gtid in list.split(',') {
            if let Some((domain, _)) = gtid.split_once('-') {
                let last = known.get(domain).map_or(0, |last| sequence(last));
                if sequence(gtid) > last {
                    known.insert(domain.to_owned(), gtid.to_owned());
                }
            }
        }
    }

    /// All, with commas.
    pub(crate) fn list(&self) -> String {
        let known = lock(&self.0);
        known.values().map(String::as_str).collect::<Vec<_>>().join(",")
    }
}

fn sequence(gtid: &str) -> u64 {
    gtid.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The request that learns the GTID of what was sent before it.
pub(crate) fn question() -> Request {
    let mut line = Vec::new();
    protocol::last_gtid(&mut line);
    let mut request = Request::of_line("last_gtid", line, "gtid");
    request.expect = Expect::Rows { columns: 1, most: 1 };
    request
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Reader;

    #[test]
    fn the_newest_of_each_domain_is_kept() {
        let gtids = Gtids::default();
        for list in ["0-1-7", "0-1-5,3-1-2", "", "0-2-10"] {
            let mut reader = Reader::default();
            reader.feed(format!("0\t1\t{list}\n").as_bytes());
            gtids.learn(&reader.next_reply().unwrap().unwrap());
        }
        assert_eq!(gtids.list(), "0-2-10,3-1-2");
    }
}
