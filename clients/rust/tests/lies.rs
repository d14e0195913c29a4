//! Replies that are well formed, and none to what was asked: never a row or a number.

mod fake;

use fake::{ab, client, or_usual, say, table, usual, FakeServer};
use handlersocket2::{
    record, row, Client, Error, ErrorKind, Query, Range, Result, Table, TransactionOptions, When,
};

/// What a call says of replies that are well formed, and none to what was asked.
fn refuses_all<T: std::fmt::Debug>(call: fn(&Table) -> Result<T>, lies: &[&str]) {
    for lie in lies {
        let reply = format!("{lie}\n");
        let server = FakeServer::new(move |line, _| or_usual(line, say(&reply)));
        let client = client(&server, |_| {});
        for connections in 1..=2 {
            let error = call(&table(&client)).unwrap_err();
            assert!(matches!(error, Error::Protocol { sent: true, .. }), "{lie:?}: {error:?}");
            assert_eq!(server.connections(), connections, "it was closed after {lie:?}");
        }
    }
}

const NO_COUNTS: [&str; 13] = [
    "0\t1",
    "0\t1\t-5",
    "0\t1\t+1",
    "0\t1\t1_0",
    "0\t1\t 1",
    "0\t1\tabc",
    "0\t1\t",
    "0\t1\t\0",
    "0\t1\t1e26",
    "0\t1\t1\t1",
    "0\t3\t1\t1\t1",
    "0\t0",
    "0\t1\t999999999999999999999",
];

#[test]
fn a_reply_to_something_else_is_no_row_and_no_number() {
    let lies = ["0\t0", "0\t2", "0\t2\t1\t2", "0\t3\t1\t2\t3"];
    refuses_all(|table| table.get(1), &lies);
    refuses_all(|table| table.find(">=", 1, None), &lies);
    refuses_all(|table| table.returning(When::After).update(1, ab(), None), &lies);
    refuses_all(|table| table.count("=", 1, None), &NO_COUNTS);
    refuses_all(|table| table.exists(1), &NO_COUNTS);
    refuses_all(|table| table.update(1, ab(), None), &NO_COUNTS);
    refuses_all(|table| table.delete(1, None), &NO_COUNTS);
    refuses_all(|table| table.increment(1, row! { "a" => 1 }, None), &NO_COUNTS);
    refuses_all(|table| table.insert_ignore(ab()), &NO_COUNTS);
    refuses_all(|table| table.upsert(ab(), None), &NO_COUNTS);
    refuses_all(|table| table.replace(ab()), &NO_COUNTS);
    refuses_all(|table| table.insert(ab()), &NO_COUNTS[1..12]);
}

#[test]
fn a_find_gives_no_more_rows_than_its_limit() {
    refuses_all(|table| table.get(1), &["0\t1\ta\tb"]);
    refuses_all(|table| table.find("=", 1, None), &["0\t1\ta\tb"]);
    refuses_all(|table| table.find("=", 1, Query::new().limit(2)), &["0\t1\ta\tb\tc"]);
}

#[test]
fn what_was_added_is_a_number_that_its_verb_has() {
    let beyond = "0\t2\t1\t18446744073709551616";
    refuses_all(|table| table.insert_ignore(ab()), &["0\t1\t2", "0\t2\t1\tabc", beyond]);
    refuses_all(|table| table.upsert(ab(), None), &["0\t1\t3", beyond]);
    refuses_all(|table| table.replace(ab()), &["0\t1\t0", beyond]);
    refuses_all(|table| table.insert(ab()), &["0\t1\t18446744073709551616"]);
}

/// What is said of a server that lies to requests with this beginning.
fn refuses(request: &'static str, lies: &[&str], call: fn(&Client) -> Result<()>) {
    for lie in lies {
        let reply = format!("{lie}\n");
        let server = FakeServer::new(move |line, _| match line {
            line if line.starts_with(request) => say(&reply),
            line if line.ends_with("\tI") => say("0\t6\tPRIMARY\t1\tn\t1\tA\t\0\n"),
            line if line.starts_with('D') => say(COLUMNS),
            line => usual(line),
        });
        let client = client(&server, |_| {});
        for connections in 1..=2 {
            let error = call(&client).unwrap_err();
            assert!(matches!(error, Error::Protocol { sent: true, .. }), "{lie:?}: {error:?}");
            assert_eq!(server.connections(), connections, "it was closed after {lie:?}");
        }
    }
}

const COLUMNS: &str = "0\t8\tn\tint(11)\tNO\t\t\0\t\t\0\t\tf\tdouble\tNO\t\t\0\t\t\0\t\n";

#[test]
fn an_index_is_opened_with_nothing_to_tell() {
    let get = |client: &Client| table(client).get(1).map(drop);
    refuses("P", &["0\t1\t1", "0\t3\ta\tb\tc"], get);
}

#[test]
fn a_transaction_begins_and_ends_with_nothing_to_tell() {
    let empty =
        |client: &Client| client.transaction(TransactionOptions::default(), |_| Ok::<_, Error>(()));
    refuses("T\tB", &["0\t1\t5", "0\t2\t5\t6"], empty);
    refuses("T\tC", &["0\t1\t5", "0\t2\t5\t6"], empty);
}

#[test]
fn what_describes_nothing_is_no_description() {
    let get = |client: &Client| client.table("t.t").get(1).map(drop);
    refuses("D", &["0\t1\tx", "0\t9\t\t\t\t\t\t\t\t\t"], get);
}

#[test]
fn what_its_column_cannot_hold_is_no_value() {
    let number = |client: &Client| client.table("t.t").columns(["n"]).get(1).map(drop);
    let lies = ["0\t1\t", "0\t1\t 1", "0\t1\t+1", "0\t1\t1_0", "0\t1\t1.5", "0\t1\tabc"];
    refuses("0\t=", &lies, number);
    refuses("0\t=", &["0\t1\t99999999999999999999"], number);
    refuses("0\t>", &lies, |client| {
        client.table("t.t").columns(["n"]).range(Range::new().start(1)).next().unwrap().map(drop)
    });
    let real = |client: &Client| client.table("t.t").columns(["f"]).get(1).map(drop);
    refuses("0\t=", &["0\t1\t", "0\t1\tnan", "0\t1\tinf", "0\t1\t1e999", "0\t1\t+1"], real);
}

#[test]
fn the_columns_of_a_table_that_was_altered_are_asked_for_again() {
    let server = FakeServer::new(|line, _| match line {
        line if line.starts_with('D') => say(COLUMNS),
        line => or_usual(line, say("0\t1\tabc\n")),
    });
    let client = client(&server, |_| {});
    for asked in 1..=2 {
        let error = client.table("t.t").columns(["n"]).get(1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol);
        let described = server.lines().iter().filter(|line| line.starts_with('D')).count();
        assert_eq!(described, asked);
    }
}

#[test]
fn a_value_that_the_programs_field_cannot_hold_keeps_the_connection() {
    record! {
        struct Narrow {
            n: u8,
        }
    }
    let server = FakeServer::new(|line, _| match line {
        line if line.starts_with('D') => say(COLUMNS),
        line => or_usual(line, say("0\t1\t300\n")),
    });
    let client = client(&server, |_| {});
    for _ in 0..2 {
        let error = client.table("t.t").of::<Narrow>().get(1).map(|row| row.map(|row| row.n));
        assert_eq!(error.unwrap_err().kind(), ErrorKind::Value);
    }
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_reply_behind_one_to_something_else_is_none() {
    let server = FakeServer::new(|line, _| match line {
        line if line.starts_with("0\t=\t1\t1") => say("0\t2\ta\tb\n"),
        line => usual(line),
    });
    let client = client(&server, |_| {});
    let mut pipeline = client.pipeline();
    let wrong = pipeline.add(table(&client).call().get(1));
    let behind = pipeline.add(table(&client).call().get(2));
    let mut results = pipeline.run();
    assert_eq!(results.failure().map(Error::kind), Some(ErrorKind::Protocol));
    assert_eq!(results.take(wrong).unwrap_err().kind(), ErrorKind::Protocol);
    assert_eq!(results.take(behind).unwrap_err().kind(), ErrorKind::Protocol);
}

#[test]
fn values_that_nobody_asked_for_are_not_listed() {
    // Whoever lists them finds an escape that is none.
    let reply = format!("0\t1{}\n", "\t\u{1}z".repeat(1000).replacen("\t\u{1}z", "\ta", 2));
    let server = FakeServer::new(move |line, _| or_usual(line, say(&reply)));
    let error = table(&client(&server, |_| {})).get(1).unwrap_err();
    assert!(error.to_string().contains("more values than were asked for"), "{error}");
}
