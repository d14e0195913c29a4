//! The vectors that all clients share: `clients/vectors`.

use std::time::Duration;

use handlersocket2::protocol::{self, Filter, Find, In, Insert, Kind, Open, Reader, Reply};
use handlersocket2::{Error, ErrorKind, Options, Result, Tls, Value};
use serde_json::{json, Value as Json};

fn cases(file: &str) -> Vec<Json> {
    let path = format!("{}/../vectors/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let content = std::fs::read_to_string(path).expect("the vectors are beside the client");
    let all: Json = serde_json::from_str(&content).expect("they are JSON");
    all["cases"].as_array().expect("there are cases").clone()
}

/// The bytes for which a text of the vectors stands.
fn bytes(text: &Json) -> Vec<u8> {
    let text = text.as_str().expect("it is text");
    text.chars().map(|one| u8::try_from(u32::from(one)).expect("it stands for a byte")).collect()
}

fn value(text: &Json) -> Value {
    if text.is_null() {
        return Value::Null;
    }
    bytes(text).into()
}

fn list<T>(all: &Json, one: impl FnMut(&Json) -> T) -> Vec<T> {
    all.as_array().into_iter().flatten().map(one).collect()
}

fn name(text: &Json) -> String {
    if text.is_null() {
        return String::new();
    }
    String::from_utf8(bytes(text)).expect("names are UTF-8")
}

fn bad(what: &str) -> Error {
    Error::Value(what.to_owned())
}

fn number(number: &Json, usual: u32) -> Result<u32> {
    if number.is_null() {
        return Ok(usual);
    }
    let parsed = number.as_u64().and_then(|number| u32::try_from(number).ok());
    parsed.ok_or_else(|| bad("a number from 0 to 4294967295"))
}

fn unhex(digits: &Json) -> Vec<u8> {
    let digits = digits.as_str().expect("it is text").as_bytes();
    let pair =
        |two: &[u8]| std::str::from_utf8(two).ok().and_then(|t| u8::from_str_radix(t, 16).ok());
    digits.chunks(2).map(|two| pair(two).expect("it is hexadecimal")).collect()
}

fn cuts(data: &[u8]) -> Vec<Vec<&[u8]>> {
    let step = (data.len() / 500).max(1);
    let mut all: Vec<Vec<&[u8]>> = vec![vec![data]];
    all.extend((1..data.len()).step_by(step).map(|at| vec![&data[..at], &data[at..]]));
    all.push(data.chunks(1).collect());
    all
}

fn read(pieces: &[&[u8]], reader: &mut Reader) -> Result<Vec<Reply>> {
    let mut replies = Vec::new();
    for piece in pieces {
        reader.feed(piece);
        while let Some(reply) = reader.next_reply()? {
            replies.push(reply);
        }
    }
    Ok(replies)
}

/// Appends what a call of `requests.json` sends.
fn request(call: &Json) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let argument = |place: usize| &call[place];
    match call[0].as_str().expect("a call has a name") {
        "open" => {
            let columns = list(argument(5), name);
            let filter_columns = list(argument(6), name);
            let (database, table) = (name(argument(2)), name(argument(3)));
            let index = name(argument(4));
            let open = Open {
                database: &database,
                table: &table,
                index: &index,
                columns: &columns,
                filter_columns: &filter_columns,
            };
            protocol::open(&mut out, number(argument(1), 0)?, &open)?;
        }
        "find" => return search(call, ""),
        "count" => return search(call, "C"),
        "change" => match argument(8).as_str() {
            Some("") | None => return Err(bad("a change has a name")),
            Some(verb) => return search(call, verb),
        },
        "insert" => {
            out = format!("{}\t", number(argument(1), 0)?).into_bytes();
            let update =
                argument(4).as_array().map(|all| all.iter().map(value).collect::<Vec<_>>());
            let values = list(argument(3), value);
            let verb = name(argument(2));
            Insert { verb: &verb, values: &values, update: update.as_deref() }.append(&mut out)?;
            out.push(b'\n');
        }
        "begin" => {
            let isolation = argument(1).as_str().map(str::parse).transpose()?;
            protocol::begin(&mut out, isolation, *argument(2) == json!(true));
        }
        "commit" => protocol::commit(&mut out),
        "rollback" => protocol::rollback(&mut out),
        "savepoint" => protocol::savepoint(&mut out, &name(argument(1)))?,
        "rollback_to" => protocol::rollback_to(&mut out, &name(argument(1)))?,
        "last_gtid" => protocol::last_gtid(&mut out),
        "wait_gtid" => {
            let milliseconds = number(argument(2), 0)?.into();
            protocol::wait_gtid(&mut out, &name(argument(1)), milliseconds)?;
        }
        "hello" => protocol::hello(&mut out, number(argument(1), 0)?, &name(argument(2)))?,
        "describe" => {
            let (database, table) = (name(argument(1)), name(argument(2)));
            protocol::describe(&mut out, &database, &table, *argument(3) == json!(true))?;
        }
        "login" => {
            let methods = list(argument(2), name);
            let methods: Vec<&str> = methods.iter().map(String::as_str).collect();
            protocol::login(&mut out, &name(argument(1)), &methods);
        }
        "answer" => protocol::answer(&mut out, &unhex(argument(1))),
        "password" => protocol::password(&mut out, &name(argument(1)), &name(argument(2))),
        "secret" => protocol::secret(&mut out, &name(argument(1))),
        other => panic!("there is no call {other}"),
    }
    Ok(out)
}

fn search(call: &Json, verb: &str) -> Result<Vec<u8>> {
    let mut out = format!("{}\t", number(&call[1], 0)?).into_bytes();
    let list_of = list(&call[6]["values"], value);
    let within = match call[6].is_null() {
        true => None,
        false => Some(In {
            part: number(&call[6]["part"], 0)?,
            values: &list_of,
            all: call[6]["all"] == json!(true),
        }),
    };
    let compared = list(&call[7], |filter| (name(&filter[0]), name(&filter[1]), value(&filter[3])));
    let columns = list(&call[7], |filter| number(&filter[2], 0));
    let mut filters = Vec::new();
    for ((kind, op, value), column) in compared.iter().zip(columns) {
        filters.push(Filter { kind, op, column: column?, value });
    }
    let find = Find {
        op: &name(&call[2]),
        key: &list(&call[3], value),
        limit: number(&call[4], 1)?,
        offset: number(&call[5], 0)?,
        within,
        filters: &filters,
        verb,
        values: &list(&call[9], value),
    };
    find.append(&mut out)?;
    out.push(b'\n');
    Ok(out)
}

#[test]
fn values_have_their_tokens() {
    for case in cases("values") {
        let mut token = Vec::new();
        protocol::append_argument(&mut token, &value(&case["value"])).unwrap();
        assert_eq!(token, bytes(&case["token"]), "{case}");
        let expected = Some(&case["value"]).filter(|value| !value.is_null()).map(bytes);
        for token in [vec![token], list(&case["also"], bytes)].concat() {
            assert_eq!(protocol::parse_token(&token).unwrap(), expected, "{case}");
        }
    }
}

#[test]
fn what_is_no_value_is_refused() {
    for case in cases("bad_values") {
        let error = protocol::parse_token(&bytes(&case["token"])).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol, "{case}");
    }
}

#[test]
fn requests_have_their_bytes() {
    for case in cases("requests") {
        assert_eq!(request(&case["call"]), Ok(bytes(&case["bytes"])), "{case}");
    }
}

#[test]
fn what_cannot_be_sent_is_refused() {
    for case in cases("bad_requests") {
        let refused = request(&case["call"]).map_err(|error| error.kind());
        assert_eq!(refused, Err(ErrorKind::Value), "{case}");
    }
}

fn assert_reply(reply: &Reply, expected: &Json) {
    if expected["code"].is_null() {
        assert_eq!(reply.code(), 0, "{expected}");
        assert_eq!(json!(reply.columns()), expected["columns"], "{expected}");
        let values =
            list(&expected["values"], |value| Some(value).filter(|v| !v.is_null()).map(bytes));
        let given: Vec<_> = reply.values().map(|value| value.map(<[u8]>::to_vec)).collect();
        assert_eq!(given, values, "{expected}");
        return;
    }
    let error = reply.error().expect("it is an error");
    assert_eq!(json!(error.code()), expected["code"], "{expected}");
    assert_eq!(json!(error.kind().name()), expected["class"], "{expected}");
    assert_eq!(json!(error.number()), expected["number"], "{expected}");
    let text = String::from_utf8_lossy(&bytes(&expected["text"])).into_owned();
    assert_eq!(error.text(), Some(&*text), "{expected}");
    let hint = expected["hint"].as_str().map(|hint| format!(": {hint}")).unwrap_or_default();
    let message = format!("{text} (code {}){hint}", expected["code"]);
    assert_eq!(error.to_string(), message, "{expected}");
}

#[test]
fn replies_are_read_in_any_pieces() {
    for case in ["replies", "errors", "streams"].into_iter().flat_map(cases) {
        let one = vec![case.clone()];
        let expected = case["replies"].as_array().unwrap_or(&one);
        let data = bytes(&case["bytes"]);
        for pieces in cuts(&data) {
            let mut reader = Reader::default();
            let replies = read(&pieces, &mut reader).unwrap();
            assert_eq!(replies.len(), expected.len(), "{case}");
            replies.iter().zip(expected).for_each(|(reply, one)| assert_reply(reply, one));
            assert_eq!(reader.buffered() as u64, case["rest"].as_u64().unwrap_or(0), "{case}");
        }
    }
}

#[test]
fn what_is_no_reply_is_refused() {
    for case in cases("bad_replies") {
        for pieces in cuts(&bytes(&case["bytes"])) {
            let error = read(&pieces, &mut Reader::default()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Protocol, "{case}");
        }
    }
}

#[test]
fn replies_have_a_bound() {
    for case in cases("long_replies") {
        let most = case["max_reply"].as_u64().unwrap() as usize;
        for pieces in cuts(&bytes(&case["bytes"])) {
            let read = read(&pieces, &mut Reader::new(most));
            assert_eq!(json!(read.is_err()), case["error"], "{case}");
        }
    }
}

/// Sets what a case of `urls.json` says that is not as by default.
fn expected_options(given: &Json) -> Options {
    let mut options = Options::default();
    for (name, value) in given.as_object().expect("it is an object") {
        let text = || value.as_str().expect("it is text").to_owned();
        let number = || value.as_u64().expect("it is a number");
        let seconds = || Duration::from_secs_f64(value.as_f64().expect("it is a number"));
        match name.as_str() {
            "host" => options.host = text(),
            "port" => options.port = number() as u16,
            "write_port" => options.write_port = number() as u16,
            "socket" => options.socket = Some(text()),
            "write_socket" => options.write_socket = Some(text()),
            "database" => options.database = Some(text()),
            "user" => options.user = Some(text()),
            "password" => options.password = Some(text()),
            "secret" => options.secret = Some(text()),
            "write_secret" => options.write_secret = Some(text()),
            "tls" if value == "verify" => options.tls = Tls::Verify,
            "tls" => options.tls = Tls::Require,
            "tls_ca" => options.tls_ca = Some(text()),
            "tls_cert" => options.tls_cert = Some(text()),
            "tls_key" => options.tls_key = Some(text()),
            "tls_name" => options.tls_name = Some(text()),
            "connect_timeout" => options.connect_timeout = seconds(),
            "timeout" => options.timeout = seconds(),
            "pool_size" => options.pool_size = number() as usize,
            "max_idle" => options.max_idle = seconds(),
            "name" => options.name = text(),
            "replicas" => options.replicas = list(value, |one| one.as_str().unwrap().to_owned()),
            "read_your_writes" => options.read_your_writes = *value == json!(true),
            "gtid_timeout" => options.gtid_timeout = seconds(),
            "retries" => options.retries = number() as u32,
            other => panic!("there is no option {other}"),
        }
    }
    options
}

/// All fields, and password and secrets, which are not shown.
fn fields(options: &Options) -> String {
    let o = options;
    let secret = (&o.password, &o.secret, &o.write_secret, &o.tls_ca, &o.tls_cert, &o.tls_key);
    let times = (o.connect_timeout, o.timeout, o.max_idle, o.gtid_timeout);
    let more = (&o.tls_name, o.pool_size, &o.name, o.read_your_writes, o.retries);
    format!("{o:?} {secret:?} {times:?} {more:?}")
}

#[test]
fn urls_have_their_options() {
    std::env::set_var("HS_OPTION_FILE", "/dev/null");
    for case in cases("urls") {
        let options = Options::from_url(case["url"].as_str().unwrap());
        if case["error"] == json!(true) {
            assert_eq!(
                options.map_err(|e| e.kind()).unwrap_err(),
                ErrorKind::Configuration,
                "{case}"
            );
            continue;
        }
        let expected = expected_options(&case["options"]);
        assert_eq!(fields(&options.unwrap()), fields(&expected), "{case}");
    }
}

#[test]
fn passwords_answer_challenges() {
    for case in cases("logins") {
        let (password, challenge) = (unhex(&case["password"]), unhex(&case["challenge"]));
        let response = protocol::native_password(&password, &challenge);
        assert_eq!(response, unhex(&case["response"]), "{case}");
    }
}

#[test]
fn types_have_their_kinds() {
    for case in cases("types") {
        let kind = Kind::of(case["type"].as_str().unwrap());
        assert_eq!(json!(kind.name()), case["kind"], "{case}");
    }
}
