//! The asynchronous API, at a server that is none.

#![cfg(feature = "tokio")]

mod fake;

use std::future::Future;
use std::time::Duration;

use fake::{ab, or_usual, say, usual, Answer, FakeServer};
use handlersocket2::tokio::{Client, Table};
use handlersocket2::{row, Error, Options, Range, TransactionOptions};

fn block_on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn client(server: &FakeServer, change: impl FnOnce(&mut Options)) -> Client {
    let mut options = server.options();
    change(&mut options);
    Client::open(options).unwrap()
}

fn table(client: &Client) -> Table {
    client.table("t.t").columns(["a"]).raw()
}

#[test]
fn a_pipeline_is_read_while_it_is_sent() {
    let long = format!("0\t1\t{}\n", "x".repeat(2000));
    let server = FakeServer::new(move |line, _| or_usual(line, say(&long)));
    block_on(async {
        let client = client(&server, |o| o.timeout = Duration::from_secs(600));
        let rows = table(&client).get_many(vec!["k".repeat(1000); 10_000]).await.unwrap();
        assert_eq!(rows.len(), 10_000);
        assert!(rows.iter().all(|row| row == &Some(row! { "a" => vec![b'x'; 2000] })));
    });
}

#[test]
fn reads_are_sent_again_and_changes_are_not() {
    let server = FakeServer::new(|line, place| match (place.connection, line.starts_with('P')) {
        (1 | 3, false) => Answer::Close, // The third one is to the write port.
        _ => usual(line),
    });
    block_on(async {
        let client = client(&server, |_| {});
        assert_eq!(table(&client).get(1).await, Ok(Some(ab())));
        let error = table(&client).update(1, row! { "a" => 2 }, None).await.unwrap_err();
        assert_eq!(error.sent(), Some(true));
    });
    assert_eq!(server.connections(), 3);
}

#[test]
fn a_slow_server_is_a_timeout_and_its_connection_is_closed() {
    let server = FakeServer::new(|line, place| match place.connection {
        1 => Answer::Nothing,
        _ => usual(line),
    });
    block_on(async {
        let client = client(&server, |options| options.timeout = Duration::from_millis(100));
        let error = table(&client).update(1, row! { "a" => 2 }, None).await.unwrap_err();
        assert_eq!(error, Error::Timeout { sent: true });
        assert_eq!(table(&client).update(1, row! { "a" => 2 }, None).await, Ok(1));
    });
    assert_eq!(server.connections(), 2);
}

#[test]
fn tasks_share_the_connections_of_a_pool() {
    let server = FakeServer::usual();
    block_on(async {
        let client = client(&server, |options| options.pool_size = 4);
        let mut tasks = Vec::new();
        for _ in 0..100 {
            let table = table(&client);
            tasks.push(tokio::spawn(async move { table.get(1).await }));
        }
        for task in tasks {
            assert_eq!(task.await.unwrap(), Ok(Some(ab())));
        }
    });
    assert!(server.connections() <= 4, "{}", server.connections());
}

#[test]
fn a_call_that_was_given_up_leaves_no_connection() {
    let server = FakeServer::new(|line, place| match place.connection {
        1 => or_usual(line, Answer::Nothing),
        _ => usual(line),
    });
    block_on(async {
        let client = client(&server, |options| options.pool_size = 1);
        let table = table(&client);
        let given_up = tokio::time::timeout(Duration::from_millis(50), table.get(1)).await;
        assert!(given_up.is_err());
        assert_eq!(table.get(1).await, Ok(Some(ab())));
    });
    assert_eq!(server.connections(), 2);
}

#[test]
fn a_transaction_that_is_dropped_is_not_committed() {
    let server = FakeServer::usual();
    block_on(async {
        let client = client(&server, |_| {});
        let transaction = client.begin(TransactionOptions::default()).await.unwrap();
        let inside = table(&client).on(&transaction);
        assert_eq!(inside.update(1, row! { "a" => 2 }, None).await, Ok(1));
        drop(transaction);
        assert_eq!(inside.get(1).await.unwrap_err().sent(), Some(false));
        assert_eq!(table(&client).update(1, row! { "a" => 2 }, None).await, Ok(1));
    });
    assert_eq!(server.connections(), 2);
    assert!(!server.lines().contains(&"T\tC".to_owned()));
}

#[test]
fn a_range_gives_rows_one_after_the_other() {
    let server = FakeServer::new(|line, _| match line {
        "D\tt\tt" => say("0\t8\ta\tint(11)\tNO\tPRI\t\0\t\t\0\t\n"),
        "D\tt\tt\tI" => say("0\t6\tPRIMARY\t1\ta\t1\tA\t\0\n"),
        "0\t>=\t1\t1\t2" => say("0\t1\t1\t2\n"),
        "0\t>\t1\t2\t2" => say("0\t1\t3\n"),
        _ => usual(line),
    });
    block_on(async {
        let client = client(&server, |_| {});
        let mut rows = client.table("t.t").range(Range::new().start(1).page(2));
        let mut all = Vec::new();
        while let Some(row) = rows.next().await {
            all.push(row.unwrap().get::<i32>("a").unwrap());
        }
        assert_eq!(all, [1, 2, 3]);
    });
}

#[test]
fn the_futures_of_calls_may_be_sent_to_other_threads() {
    fn is_send<T: Send>(_: &T) {}
    let client = client(&FakeServer::usual(), |_| {});
    let table = table(&client);
    is_send(&table.get(1));
    is_send(&table.update(1, row! { "a" => 2 }, None));
    is_send(&client.begin(TransactionOptions::default()));
    is_send(&client.pipeline().run());
    is_send(&table.range(Range::new()).next());
}
