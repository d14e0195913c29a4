//! Connections that break, wait and are full; what is sent again.

mod fake;

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use fake::{ab, client, or_usual, say, table, usual, Answer, FakeServer, OK};
use handlersocket2::{row, Client, Error, ErrorKind, Result, Row, TransactionOptions};

const HELLO: &str = "0\t6\t2\tp\t1\tv\tall\t1\n";

fn many_gets(client: &Client, number: usize) -> Result<Vec<Option<Row>>> {
    table(client).get_many(vec!["k".repeat(1000); number])
}

#[test]
fn replies_may_come_byte_by_byte() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        let mut say = |lines: usize, text: &str| {
            let mut seen = 0;
            while seen < lines {
                let mut one = [0];
                stream.read_exact(&mut one).unwrap();
                seen += usize::from(one[0] == b'\n');
            }
            text.bytes().for_each(|byte| stream.write_all(&[byte]).unwrap());
        };
        say(1, HELLO);
        say(2, "0\t1\n0\t1\tab\n");
    });
    let client = Client::connect(&format!("hs://127.0.0.1:{port}")).unwrap();
    assert_eq!(table(&client).get(1), Ok(Some(ab())));
    server.join().unwrap();
}

#[test]
fn a_pipeline_is_read_while_it_is_sent() {
    let long = format!("0\t1\t{}\n", "x".repeat(2000));
    let server = FakeServer::new(move |line, _| or_usual(line, say(&long)));
    let rows =
        many_gets(&client(&server, |o| o.timeout = Duration::from_secs(600)), 10_000).unwrap();
    assert_eq!(rows.len(), 10_000);
    let long = row! { "a" => vec![b'x'; 2000] };
    assert!(rows.iter().all(|row| row.as_ref() == Some(&long)));
}

#[test]
fn reads_are_sent_again_when_the_server_goes_away_in_a_pipeline() {
    let server = FakeServer::new(|line, place| match (place.connection, place.at) {
        (1, 5) => Answer::Close,
        _ => usual(line),
    });
    assert_eq!(many_gets(&client(&server, |_| {}), 100), Ok(vec![Some(ab()); 100]));
    assert_eq!(server.connections(), 2);
}

#[test]
fn reads_fail_when_the_server_goes_away_every_time() {
    let server = FakeServer::new(|line, _| or_usual(line, Answer::Close));
    let error = table(&client(&server, |o| o.retries = 1)).get(1).unwrap_err();
    assert_eq!((error.kind(), error.sent()), (ErrorKind::Connection, Some(true)));
    assert_eq!(server.connections(), 2);
}

#[test]
fn a_change_without_its_reply_is_not_sent_again() {
    let server = FakeServer::new(|line, _| or_usual(line, Answer::Close));
    let error = table(&client(&server, |_| {})).insert(row! { "a" => 1 }).unwrap_err();
    assert_eq!((error.kind(), error.sent()), (ErrorKind::Connection, Some(true)));
    assert_eq!(server.connections(), 1);
}

#[test]
fn the_calls_of_a_pipeline_that_were_answered_have_their_results() {
    let server = FakeServer::new(|line, place| match place.at {
        3 => Answer::Close,
        _ => usual(line),
    });
    let client = client(&server, |_| {});
    let mut pipeline = client.pipeline();
    let update = || table(&client).call().update(1, row! { "a" => 2 }, None);
    let handles: Vec<_> = (0..5).map(|_| pipeline.add(update())).collect();
    let mut results = pipeline.run();
    assert_eq!(results.failure().and_then(Error::sent), Some(true));
    let results: Vec<_> = handles.into_iter().map(|handle| results.take(handle)).collect();
    assert_eq!(results[..2], [Ok(1), Ok(1)]);
    assert!(results[2..].iter().all(|one| one.as_ref().unwrap_err().sent() == Some(true)));
    assert_eq!(server.connections(), 1);
}

#[test]
fn a_change_goes_to_a_new_connection_when_the_idle_one_was_closed() {
    let server = FakeServer::usual();
    let client = client(&server, |_| {});
    assert_eq!(table(&client).update(1, row! { "a" => 2 }, None), Ok(1));
    server.drop_connections();
    assert_eq!(table(&client).update(1, row! { "a" => 2 }, None), Ok(1));
    assert_eq!(server.connections(), 2);
}

#[test]
fn nothing_was_sent_where_nobody_listens() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let client = Client::connect(&format!("hs://127.0.0.1?write_port={port}&retries=1")).unwrap();
    let error = table(&client).insert(row! { "a" => 1 }).unwrap_err();
    assert_eq!((error.kind(), error.sent()), (ErrorKind::Connection, Some(false)));
}

#[test]
fn a_slow_server_is_a_timeout_and_its_connection_is_closed() {
    let server = FakeServer::new(|line, place| match place.connection {
        1 => Answer::Nothing,
        _ => usual(line),
    });
    let client = client(&server, |options| options.timeout = Duration::from_millis(100));
    let error = table(&client).update(1, row! { "a" => 2 }, None).unwrap_err();
    assert_eq!(error, Error::Timeout { sent: true });
    assert_eq!(table(&client).update(1, row! { "a" => 2 }, None), Ok(1));
    assert_eq!(server.connections(), 2);
}

#[test]
fn a_full_pool_is_a_timeout() {
    let server = FakeServer::usual();
    let client = client(&server, |options| {
        (options.pool_size, options.timeout) = (1, Duration::from_millis(100));
    });
    let transaction = client.begin(TransactionOptions::default()).unwrap();
    let error = table(&client).update(1, row! { "a" => 1 }, None).unwrap_err();
    assert_eq!(error, Error::Timeout { sent: false });
    transaction.rollback().unwrap();
    assert_eq!(table(&client).update(1, row! { "a" => 1 }, None), Ok(1));
}

#[test]
fn threads_share_the_connections_of_a_pool() {
    let server = FakeServer::usual();
    let client = client(&server, |options| options.pool_size = 4);
    thread::scope(|scope| {
        for _ in 0..100 {
            scope.spawn(|| (0..10).for_each(|_| assert_eq!(table(&client).get(1), Ok(Some(ab())))));
        }
    });
    assert!(server.connections() <= 4, "{}", server.connections());
}

#[test]
fn a_connection_with_more_replies_than_requests_is_not_used_again() {
    let two = format!("{OK}0\t1\n0\t1\tno\n");
    let server = FakeServer::new(move |line, place| match place.connection {
        1 => say(&two[if line.starts_with('P') { 0..4 } else { 4..two.len() }]),
        _ => usual(line),
    });
    let client = client(&server, |_| {});
    let _ = table(&client).get(1);
    assert_eq!(table(&client).get(1), Ok(Some(ab())));
}

#[test]
fn what_is_no_reply_ends_the_connection() {
    let server = FakeServer::new(|line, place| match place.connection {
        1 => or_usual(line, say("hello\n")),
        _ => usual(line),
    });
    let client = client(&server, |_| {});
    assert_eq!(table(&client).get(1).unwrap_err().kind(), ErrorKind::Protocol);
    assert_eq!(table(&client).get(1), Ok(Some(ab())));
    assert_eq!(server.connections(), 2);
}

/// A server of one connection, which reads so many pieces, answers each, and closes.
fn rude(answers: &'static [&'static str]) -> (u16, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let work = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        for answer in answers {
            let _ = stream.read(&mut [0; 1000]).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        }
    });
    (port, work)
}

#[test]
fn a_connection_that_is_reset_before_the_end_of_a_request_is_no_timeout() {
    let (port, server) = rude(&[HELLO, "0\t1\n2\t1\trequest_too_long\n"]);
    let client = Client::connect(&format!("hs://127.0.0.1?write_port={port}")).unwrap();
    let error = table(&client).insert(row! { "a" => "x".repeat(20_000_000) }).unwrap_err();
    server.join().unwrap();
    // A reset may take away what the server has said.
    let told = error.text() == Some("request_too_long");
    assert!(told || error.kind() == ErrorKind::Connection, "{error:?}");
}

#[test]
fn what_a_server_says_before_it_closes_is_told() {
    let (port, server) = rude(&["1\t1\ttoo_many_connections\n"]);
    let client = Client::connect(&format!("hs://127.0.0.1:{port}?retries=0")).unwrap();
    assert_eq!(client.ping().unwrap_err().kind(), ErrorKind::Overloaded);
    server.join().unwrap();
}

#[test]
fn the_place_that_cannot_be_reached_is_told() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let told = |port| {
        let client = Client::connect(&format!("hs://127.0.0.1:{port}?retries=0")).unwrap();
        client.ping().unwrap_err().to_string()
    };
    let wanted = format!("no connection to 127.0.0.1:{port}: ");
    assert!(told(port).starts_with(&wanted), "{}", told(port));
    let (port, server) = rude(&["hello\n"]);
    assert!(told(port).contains(&format!("no connection to 127.0.0.1:{port}: ")));
    server.join().unwrap();
}

#[test]
fn a_client_that_was_closed_is_no_more() {
    let client = client(&FakeServer::usual(), |_| {});
    assert_eq!(table(&client).get(1), Ok(Some(ab())));
    client.close();
    assert_eq!(client.ping().unwrap_err().sent(), Some(false));
}
