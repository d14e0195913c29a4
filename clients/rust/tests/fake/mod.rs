//! A server that answers as it is told.

#![allow(dead_code)] // Each test program uses a part of it.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use handlersocket2::{row, Client, Options, Row, Table};

pub const OK: &str = "0\t1\n";

/// What a line is answered with.
pub enum Answer {
    Say(String),
    Nothing,
    Close,
}

/// Where a line has come from: the number of its connection from 1, and how many lines came before it
/// there. A hello is no line.
pub struct Place {
    pub connection: usize,
    pub at: usize,
}

type Teller = dyn Fn(&str, &Place) -> Answer + Send + Sync;

struct Shared {
    answer: Box<Teller>,
    features: &'static str,
    lines: Mutex<Vec<String>>,
    open: Mutex<Vec<TcpStream>>,
}

pub struct FakeServer {
    shared: Arc<Shared>,
    address: SocketAddr,
}

impl FakeServer {
    pub fn new(answer: impl Fn(&str, &Place) -> Answer + Send + Sync + 'static) -> Self {
        let features = "all,count,descending,describe,gtid,returning,transaction,upsert";
        FakeServer::with_features(features, answer)
    }

    pub fn with_features(
        features: &'static str,
        answer: impl Fn(&str, &Place) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            answer: Box::new(answer),
            features,
            lines: Mutex::default(),
            open: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut open = accepting.open.lock().unwrap();
                open.push(stream.try_clone().unwrap());
                let (shared, number) = (Arc::clone(&accepting), open.len());
                thread::spawn(move || {
                    let _ = shared.talk(&stream, number); // It fails when the client has gone.
                    let _ = stream.shutdown(Shutdown::Both);
                });
            }
        });
        FakeServer { shared, address }
    }

    /// One that says what is usual.
    pub fn usual() -> Self {
        FakeServer::new(|line, _| usual(line))
    }

    /// Options of a client whose ports are both this one.
    pub fn options(&self) -> Options {
        let mut options = Options::default();
        (options.port, options.write_port) = (self.address.port(), self.address.port());
        options
    }

    /// Host and port, as a replica is named.
    pub fn name(&self) -> String {
        self.address.to_string()
    }

    pub fn lines(&self) -> Vec<String> {
        self.shared.lines.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        self.shared.open.lock().unwrap().len()
    }

    /// Ends all connections that are there.
    pub fn drop_connections(&self) {
        for stream in self.shared.open.lock().unwrap().iter() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Shared {
    fn talk(&self, stream: &TcpStream, connection: usize) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        let mut writer = stream;
        let mut at = 0;
        for line in BufReader::new(stream).lines() {
            let line = line?;
            if line.starts_with('H') {
                writeln!(writer, "0\t6\t2\tp\t1\tv\t{}\t1", self.features)?;
                continue;
            }
            self.lines.lock().unwrap().push(line.clone());
            match (self.answer)(&line, &Place { connection, at }) {
                Answer::Say(text) => writer.write_all(text.as_bytes())?,
                Answer::Nothing => {}
                Answer::Close => break,
            }
            at += 1;
        }
        Ok(())
    }
}

pub fn say(text: &str) -> Answer {
    Answer::Say(text.to_owned())
}

/// An index is opened, a row is `ab`, a change is of one row, and the last GTID is `0-1-7`.
pub fn usual(line: &str) -> Answer {
    if line.starts_with(['P', 'T', 'A']) {
        return say(OK);
    }
    if line == "G\tL" {
        return say("0\t1\t0-1-7\n");
    }
    let change = |token: &str| matches!(token, "U" | "D" | "+" | "-" | "C" | "+I" | "+U" | "+R");
    match line.starts_with("G\tW") || line.split('\t').any(change) {
        true => say("0\t1\t1\n"),
        false => say("0\t1\tab\n"),
    }
}

/// What is usual, and `instead` for what is no opening of an index.
pub fn or_usual(line: &str, instead: Answer) -> Answer {
    match line.starts_with('P') {
        true => say(OK),
        false => instead,
    }
}

/// A client of the server.
pub fn client(server: &FakeServer, change: impl FnOnce(&mut Options)) -> Client {
    let mut options = server.options();
    change(&mut options);
    Client::open(options).unwrap()
}

/// A table of one column, whose types nobody asks for.
pub fn table(client: &Client) -> Table {
    client.table("t.t").columns(["a"]).raw()
}

/// The usual row.
pub fn ab() -> Row {
    row! { "a" => b"ab".to_vec() }
}
