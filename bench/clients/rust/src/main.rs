//! Looks rows up by their keys: ../README.md tells the arguments and what is printed.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write as _};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use handlersocket2::Client;
use mysql::prelude::Queryable;

const BATCH: usize = 100;
const THREADS: usize = 16;

/// The values of some keys, one key or BATCH of them, for one thread.
type Lookup = Box<dyn FnMut(&[u64]) -> Vec<String> + Send>;

fn hs(client: &Client) -> Lookup {
    let client = client.clone();
    let table = client.table("test.pairs").columns(["value"]);
    Box::new(move |keys| {
        if let [key] = *keys {
            return vec![table.get(key).unwrap().unwrap().get("value").unwrap()];
        }
        let mut pipeline = client.pipeline();
        let rows: Vec<_> = keys.iter().map(|key| pipeline.add(table.call().get(*key))).collect();
        let mut results = pipeline.run();
        let rows = rows.into_iter().map(|row| results.take(row).unwrap().unwrap());
        rows.map(|row| row.get("value").unwrap()).collect()
    })
}

fn sql(port: u16, count: usize) -> Lookup {
    let options = mysql::OptsBuilder::new().ip_or_hostname(Some("127.0.0.1")).tcp_port(port);
    let options = options.user(Some("bench")).prefer_socket(false);
    let mut connection = mysql::Conn::new(options).unwrap();
    let marks = vec!["?"; count].join(",");
    let text = format!("SELECT id, value FROM test.pairs WHERE id IN ({marks})");
    let statement = connection.prep(text).unwrap();
    Box::new(move |keys| {
        let found: Vec<(u64, String)> = connection.exec(&statement, keys.to_vec()).unwrap();
        if let [_] = keys {
            return found.into_iter().map(|(_, value)| value).collect();
        }
        let mut found: std::collections::HashMap<_, _> = found.into_iter().collect();
        keys.iter().map(|key| found.remove(key).unwrap()).collect()
    })
}

fn redis(port: u16) -> Lookup {
    let client = redis::Client::open(("127.0.0.1", port));
    let mut connection = client.unwrap().get_connection().unwrap();
    Box::new(move |keys| {
        if let [key] = *keys {
            return vec![redis::Cmd::get(key).query(&mut connection).unwrap()];
        }
        let mut pipeline = redis::pipe();
        for key in keys {
            pipeline.get(*key);
        }
        pipeline.query(&mut connection).unwrap()
    })
}

/// A socket, without a client: what the server and the kernel leave to be gained.
fn floor(port: u16) -> Lookup {
    let mut socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    socket.set_nodelay(true).unwrap();
    let mut answers = BufReader::with_capacity(65536, socket.try_clone().unwrap());
    let (mut request, mut line) = (String::new(), String::new());
    socket.write_all(b"P\t1\ttest\tpairs\tPRIMARY\tvalue\n").unwrap();
    answers.read_line(&mut line).unwrap();
    Box::new(move |keys| {
        request.clear();
        for key in keys {
            writeln!(request, "1\t=\t1\t{key}").unwrap();
        }
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = || {
            line.clear();
            answers.read_line(&mut line).unwrap();
            line[4..].trim_end().to_owned()
        };
        keys.iter().map(|_| answer()).collect()
    })
}

struct Worker {
    look_up: Lookup,
    keys: Vec<u64>,
    next: u64,
    rows: u64,
}

impl Worker {
    /// How many lookups there were until the end, and how many had a wrong answer.
    fn work(&mut self, end: Instant) -> (u64, u64) {
        let (mut lookups, mut wrong) = (0, 0);
        while Instant::now() < end {
            for key in &mut self.keys {
                self.next = (self.next + 7919) % self.rows;
                *key = 1 + self.next;
            }
            let values = (self.look_up)(&self.keys);
            lookups += self.keys.len() as u64;
            let pairs = self.keys.iter().zip(&values);
            wrong += pairs.filter(|(key, value)| format!("{key:060}") != **value).count() as u64;
        }
        (lookups, wrong)
    }
}

/// Seconds of this process, user and system.
fn cpu() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the place that it is given, and keeps none of it.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let port = arguments[2].parse().unwrap();
    let rows: u64 = arguments[3].parse().unwrap();
    let seconds = Duration::from_secs_f64(arguments[4].parse().unwrap());
    let count = if arguments[1] == "pipeline" { BATCH } else { 1 };
    let threads = if arguments[1] == "parallel" { THREADS } else { 1 };
    let client = Client::connect(&format!("hs://127.0.0.1:{port}")).unwrap();
    let connect = || match arguments[0].as_str() {
        "hs" => hs(&client),
        "sql" => sql(port, count),
        "redis" => redis(port),
        _ => floor(port),
    };
    let worker = |number: usize| Worker {
        look_up: connect(),
        keys: vec![0; count],
        next: rows * number as u64 / threads as u64,
        rows,
    };
    let mut workers: Vec<_> = (0..threads).map(worker).collect();
    for worker in &mut workers {
        // Connected, and warm.
        worker.work(Instant::now() + Duration::from_millis(100) / threads as u32);
    }
    let (begin, before) = (Instant::now(), cpu());
    let end = begin + seconds;
    let work = |mut worker: Worker| thread::spawn(move || worker.work(end));
    let running: Vec<_> = workers.into_iter().map(work).collect();
    let done = running.into_iter().map(|one| one.join().unwrap());
    let (lookups, wrong) = done.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    println!(
        "{{\"seconds\": {}, \"cpu\": {}, \"lookups\": {lookups}, \"wrong\": {wrong}}}",
        begin.elapsed().as_secs_f64(),
        cpu() - before
    );
}
