//! Indexes, transactions, replicas, features and the hook, at a server that is none.

mod fake;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use fake::{client, say, table, usual, FakeServer};
use handlersocket2::{
    row, Client, Error, ErrorKind, Options, Port, Query, Range, TransactionOptions,
};

fn openings(server: &FakeServer) -> usize {
    server.lines().iter().filter(|line| line.starts_with('P')).count()
}

#[test]
fn an_index_is_opened_once() {
    let server = FakeServer::usual();
    let client = client(&server, |_| {});
    for _ in 0..3 {
        table(&client).get(1).unwrap();
    }
    assert_eq!(
        server.lines(),
        ["P\t0\tt\tt\tPRIMARY\ta", "0\t=\t1\t1", "0\t=\t1\t1", "0\t=\t1\t1"]
    );
}

#[test]
fn a_connection_has_so_many_indexes_and_replaces_the_oldest() {
    let server = FakeServer::usual();
    let client = client(&server, |_| {});
    let get =
        |number: usize| client.table("t.t").columns([format!("c{number}")]).raw().get(1).unwrap();
    (0..257).for_each(|number| assert!(get(number).is_some()));
    assert_eq!(server.lines().last().map(String::as_str), Some("0\t=\t1\t1"));
    get(1);
    assert_eq!(openings(&server), 257);
    get(0);
    assert_eq!(openings(&server), 258);
}

#[test]
fn a_pipeline_ends_with_its_connection() {
    let changes = AtomicUsize::new(0);
    let server = FakeServer::new(move |line, _| {
        let is_last = line.contains("\t+\t") && changes.fetch_add(1, Ordering::Relaxed) == 255;
        say(if is_last { "1\t1\tmax_memory\n" } else { "0\t1\n" })
    });
    let client = client(&server, |_| {});
    let mut pipeline = client.pipeline();
    let insert = |number: usize| {
        client.table(&format!("t.t{number}")).columns(["a"]).raw().call().insert(row! { "a" => 1 })
    };
    let handles: Vec<_> = (0..300).map(|number| pipeline.add(insert(number))).collect();
    let mut results = pipeline.run();
    assert_eq!(results.failure().and_then(Error::sent), Some(true));
    let results: Vec<_> = handles.into_iter().map(|handle| results.take(handle)).collect();
    assert!(results[..255].iter().all(Result::is_ok));
    assert_eq!(results[255].as_ref().unwrap_err().kind(), ErrorKind::Overloaded);
    assert!(results[256..].iter().all(|one| one.as_ref().unwrap_err().sent() == Some(true)));
    assert_eq!(openings(&server), 256);
}

#[test]
fn an_index_that_was_refused_is_asked_for_again() {
    let server = FakeServer::new(|line, place| match place.at {
        0 | 1 => say("2\t1\topen_table\n"),
        _ => usual(line),
    });
    let client = client(&server, |_| {});
    assert_eq!(table(&client).get(1).unwrap_err().kind(), ErrorKind::NotFound);
    assert!(table(&client).get(1).unwrap().is_some());
    assert_eq!(openings(&server), 2);
}

#[test]
fn a_transaction_commits_at_the_end_of_its_block() {
    let server = FakeServer::usual();
    let client = client(&server, |_| {});
    let number = client.transaction(TransactionOptions::default(), |transaction| {
        table(&client).on(transaction).update(1, row! { "a" => 2 }, None)
    });
    assert_eq!(number, Ok(1));
    assert_eq!(
        server.lines(),
        ["T\tB", "P\t0\tt\tt\tPRIMARY\ta", "0\t=\t1\t1\t1\t0\tU\t2", "T\tC"]
    );
}

#[test]
fn an_error_or_a_panic_in_a_block_rolls_back() {
    let server = FakeServer::usual();
    let client = client(&server, |_| {});
    let error = client
        .transaction(TransactionOptions::default(), |_| Err::<(), _>(Error::Value("no".into())));
    assert_eq!(error, Err(Error::Value("no".into())));
    assert_eq!(server.lines(), ["T\tB", "T\tR"]);
    let panicking = std::panic::AssertUnwindSafe(|| {
        client.transaction(TransactionOptions::default(), |_| -> Result<(), Error> {
            std::panic::resume_unwind(Box::new("a panic"))
        })
    });
    assert!(std::panic::catch_unwind(panicking).is_err());
    table(&client).update(1, row! { "a" => 2 }, None).unwrap();
    assert_eq!(server.connections(), 2, "the connection of the block is not used again");
    assert!(!server.lines().contains(&"T\tC".to_owned()));
}

#[test]
fn a_commit_that_fails_is_an_error() {
    let server = FakeServer::new(|line, _| match line {
        "T\tC" => say("1\t1\ttransaction_lost\n"),
        _ => usual(line),
    });
    let lost =
        client(&server, |_| {}).transaction(TransactionOptions::default(), |_| Ok::<_, Error>(()));
    assert_eq!(lost.unwrap_err().kind(), ErrorKind::TransactionLost);
}

#[test]
fn what_cannot_be_sent_opens_no_connection() {
    let server = FakeServer::usual();
    let client = client(&server, |_| {});
    let all = [
        table(&client).find("==", 1, None).map(|_| ()),
        table(&client).find("=", 1, Query::new().limit(-1)).map(|_| ()),
        table(&client).find("=", f64::NAN, None).map(|_| ()),
        client.table("t\n.t").get(1).map(|_| ()),
        client.table("t").get(1).map(|_| ()),
        table(&client).update(1, row! {}, None).map(|_| ()),
        table(&client).range(Range::new().page(0)).collect::<Result<Vec<_>, _>>().map(|_| ()),
        table(&client).range(Range::new().reverse()).collect::<Result<Vec<_>, _>>().map(|_| ()),
        client.raw(Port::Read, &[b"a\n"]).map(|_| ()),
        client.raw(Port::Write, &[b"T", b"B"]).map(|_| ()),
    ];
    for (place, one) in all.into_iter().enumerate() {
        assert_eq!(one.map_err(|error| error.kind()), Err(ErrorKind::Value), "{place}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn the_server_must_have_the_feature() {
    let server = FakeServer::with_features("count", |line, _| usual(line));
    let client = client(&server, |_| {});
    let error = table(&client).upsert(row! { "a" => 1 }, None).unwrap_err();
    assert_eq!(error, Error::Unsupported { feature: "upsert".to_owned() });
    assert_eq!(server.lines(), [""; 0]);
}

#[test]
fn a_hook_is_told_of_each_call() {
    let told: Arc<Mutex<Vec<(String, String, bool)>>> = Arc::default();
    let (server, telling) = (FakeServer::usual(), Arc::clone(&told));
    let mut options = server.options();
    options.on_request = Some(Arc::new(move |event| {
        let failed = event.error.is_some();
        telling.lock().unwrap().push((event.kind.to_owned(), event.table.to_owned(), failed));
    }));
    let client = Client::open(options).unwrap();
    table(&client).get(1).unwrap();
    table(&client).exists(1).unwrap();
    client.close();
    assert!(table(&client).get(1).is_err());
    let told = told.lock().unwrap();
    let expected = [("get", false), ("exists", false), ("get", true)];
    assert_eq!(*told, expected.map(|(kind, failed)| (kind.to_owned(), "t.t".to_owned(), failed)));
}

#[test]
fn reads_take_turns_on_replicas_and_the_primary_is_asked_when_none_answers() {
    let (primary, one, two) = (FakeServer::usual(), FakeServer::usual(), FakeServer::usual());
    let mut options = primary.options();
    options.replicas = vec![one.name(), two.name()];
    let client = Client::open(options).unwrap();
    for _ in 0..4 {
        table(&client).get(1).unwrap();
    }
    assert_eq!((one.lines().len(), two.lines().len(), primary.lines().len()), (3, 3, 0));

    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut options = primary.options();
    options.replicas = vec![nobody.to_string()];
    table(&Client::open(options).unwrap()).get(1).unwrap();
    assert_eq!(primary.lines().len(), 2);
}

#[test]
fn a_read_on_a_replica_waits_for_the_clients_own_change() {
    let (primary, replica) = (FakeServer::usual(), FakeServer::usual());
    let mut options = primary.options();
    options.replicas = vec![replica.name()];
    options.read_your_writes = true;
    let client = Client::open(options).unwrap();
    table(&client).update(1, row! { "a" => 2 }, None).unwrap();
    assert_eq!(primary.lines().last().map(String::as_str), Some("G\tL"));
    table(&client).get(1).unwrap();
    table(&client).get(1).unwrap();
    assert_eq!(replica.lines()[0], "G\tW\t0-1-7\t1000");
    assert_eq!(replica.lines().len(), 4, "it has waited once");
}

#[test]
fn a_read_goes_to_the_primary_when_the_replica_is_behind() {
    let primary = FakeServer::usual();
    let replica = FakeServer::new(|line, _| match line.starts_with("G\tW") {
        true => say("0\t1\t0\n"),
        false => usual(line),
    });
    let mut options = primary.options();
    options.replicas = vec![replica.name()];
    options.read_your_writes = true;
    let client = Client::open(options).unwrap();
    table(&client).update(1, row! { "a" => 2 }, None).unwrap();
    assert!(table(&client).get(1).unwrap().is_some());
    assert_eq!(replica.lines(), ["G\tW\t0-1-7\t1000"]);
}

#[test]
fn the_last_gtid_is_asked_of_the_connections_that_have_changed_something() {
    let server = FakeServer::usual();
    let client = client(&server, |_| {});
    assert_eq!(client.last_gtid(), Ok(String::new()));
    table(&client).update(1, row! { "a" => 2 }, None).unwrap();
    assert_eq!(client.last_gtid(), Ok("0-1-7".to_owned()));
    assert_eq!(client.last_gtid(), Ok("0-1-7".to_owned()));
    assert_eq!(server.lines().iter().filter(|line| *line == "G\tL").count(), 1);
}

#[test]
fn passwords_and_secrets_are_not_shown() {
    let mut options = Options::default();
    options.password = Some("hidden".to_owned());
    options.secret = Some("hidden".to_owned());
    options.write_secret = Some("hidden".to_owned());
    assert!(!format!("{options:?} {:?}", Client::open(options.clone()).unwrap()).contains("hidden"));
}
