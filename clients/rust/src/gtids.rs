use std::collections::BTreeMap;
use std::sync::Mutex;

use crate::protocol::{self, Reply};
use crate::request::{Expect, Request};
use crate::runtime::lock;

/// The GTIDs of the client's own last changes: MariaDB's (`domain-server-number`) one for each domain,
/// MySQL's (`uuid:number`, `uuid:tag:number`) one for each UUID and tag.
#[derive(Debug, Default)]
pub(crate) struct Gtids(Mutex<BTreeMap<String, String>>);

impl Gtids {
    /// Takes what the server has told, unless something newer is known.
    pub(crate) fn learn(&self, reply: &Reply) {
        if reply.len() != 1 {
            return; // A server without a binary log has none.
        }
        let gtid = String::from_utf8_lossy(reply.value(0).unwrap_or_default()).into_owned();
        if let Some((source, number)) = parts(&gtid) {
            let mut known = lock(&self.0);
            let last = known.get(source).and_then(|last| parts(last));
            if last.map_or(true, |(_, last)| number > last) {
                known.insert(source.to_owned(), gtid.clone());
            }
        }
    }

    /// All, with commas.
    pub(crate) fn list(&self) -> String {
        let known = lock(&self.0);
        known.values().map(String::as_str).collect::<Vec<_>>().join(",")
    }
}

/// What numbers the changes, and the number; none of what is no GTID.
fn parts(gtid: &str) -> Option<(&str, u64)> {
    let (source, number) = match gtid.rsplit_once(':') {
        Some(parts) => parts,
        None => (gtid.split_once('-')?.0, gtid.rsplit_once('-')?.1),
    };
    Some((source, number.parse().ok()?))
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
    fn reads_wait_for_the_highest() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors/gtids.json");
        let file: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let texts = |list: &serde_json::Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|one| one.as_str().unwrap().to_owned()).collect()
        };
        for case in file["cases"].as_array().unwrap() {
            let gtids = Gtids::default();
            for told in texts(&case["told"]) {
                let mut reader = Reader::default();
                reader.feed(format!("0\t1\t{told}\n").as_bytes());
                gtids.learn(&reader.next_reply().unwrap().unwrap());
            }
            let mut expected = texts(&case["known"]);
            let list = gtids.list();
            let mut known: Vec<&str> = list.split(',').filter(|one| !one.is_empty()).collect();
            expected.sort_unstable();
            known.sort_unstable();
            assert_eq!(known, expected, "{}", case["name"]);
        }
    }
}
