use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io;
use std::net::Ipv6Addr;
use std::path::PathBuf;

use crate::{Error, Options, Result};

type Given = BTreeMap<String, String>;

impl Options {
    /// The options of a URL. What it does not name comes from the environment (`HS_PASSWORD`,
    /// `HS_SECRET`), the option file (`HS_OPTION_FILE` or `~/.hs.cnf`, group `[hs]`), or is as by
    /// default.
    pub fn from_url(url: &str) -> Result<Options> {
        let mut file = file_options()?;
        for place in ["host", "port", "write_port", "socket", "write_socket"] {
            file.remove(place); // The URL says where the server is.
        }
        merge(url_options(url)?, file)
    }

    /// The options without a URL in the program: `HS_URL`, if it is set, the environment and the option
    /// file.
    pub fn from_env() -> Result<Options> {
        match env::var("HS_URL") {
            Ok(url) if !url.is_empty() => Options::from_url(&url),
            _ => merge(Given::new(), file_options()?),
        }
    }
}

/// Those of the URL, then of the environment, then of the file.
fn merge(mut given: Given, file: Given) -> Result<Options> {
    for (name, variable) in [("password", "HS_PASSWORD"), ("secret", "HS_SECRET")] {
        if let Ok(value) = env::var(variable) {
            given.entry(name.to_owned()).or_insert(value);
        }
    }
    for (name, value) in file {
        given.entry(name).or_insert(value);
    }
    let mut options = Options::default();
    for (name, value) in given {
        options.set(&name, &value).unwrap_or_else(|| Err(unknown(&name)))?;
    }
    Ok(options)
}

fn unknown(name: &str) -> Error {
    Error::configuration(name, "it is unknown")
}

fn add(given: &mut Given, name: &str, value: String) -> Result<()> {
    // Also where it does not count, as another place has the option.
    Options::default().set(name, &value).unwrap_or_else(|| Err(unknown(name)))?;
    if given.insert(name.to_owned(), value).is_some() {
        return Err(Error::configuration(name, "it is given twice"));
    }
    Ok(())
}

fn add_escaped(given: &mut Given, name: &str, escaped: &str) -> Result<()> {
    let value = unescape(escaped).map_err(|what| Error::configuration(name, what))?;
    add(given, name, value)
}

fn unescape(escaped: &str) -> Result<String, &'static str> {
    let mut parts = escaped.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|two| two.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        bytes.push(byte.ok_or("a % without two hexadecimal digits")?);
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).map_err(|_| "it is no UTF-8")
}

fn url_options(url: &str) -> Result<Given> {
    if url.bytes().any(|byte| byte <= b' ' || byte == 0x7f) {
        return Err(Error::configuration("url", "it has a blank or a control character"));
    }
    let (place, query) = match url.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (url, None),
    };
    let (scheme, rest) = place.split_once("://").unwrap_or_default();
    if !["hs", "hs+unix"].contains(&scheme) || url.contains('#') {
        return Err(Error::configuration("url", "it is not hs://… or hs+unix://…"));
    }
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let mut given = Given::new();
    let host = add_account(&mut given, authority)?;
    if scheme == "hs" {
        add_host(&mut given, host)?;
        let database = path.strip_prefix('/').unwrap_or_default();
        if !database.is_empty() {
            add_escaped(&mut given, "database", database)?;
        }
    } else if !host.is_empty() {
        return Err(Error::configuration("host", "a Unix socket has none"));
    } else if path.is_empty() {
        return Err(Error::configuration("socket", "it is missing"));
    } else {
        add_escaped(&mut given, "socket", path)?;
    }
    for pair in query.into_iter().filter(|query| !query.is_empty()).flat_map(|q| q.split('&')) {
        match pair.split_once('=') {
            Some((name, value)) => add_escaped(&mut given, name, value)?,
            None => return Err(Error::configuration(pair, "it has no value")),
        }
    }
    Ok(given)
}

/// Takes user and password, and returns what stands behind them.
fn add_account<'a>(given: &mut Given, authority: &'a str) -> Result<&'a str> {
    let (account, host) = match authority.rsplit_once('@') {
        None => return Ok(authority),
        Some(parts) => parts,
    };
    let (user, password) = match account.split_once(':') {
        Some((user, password)) => (user, Some(password)),
        None => (account, None),
    };
    add_escaped(given, "user", user)?;
    if let Some(password) = password {
        add_escaped(given, "password", password)?;
    }
    Ok(host)
}

fn add_host(given: &mut Given, authority: &str) -> Result<()> {
    let mut host = authority;
    let bracket = authority.rfind(']').map_or(0, |place| place + 1);
    if let Some(colon) = authority[bracket..].rfind(':') {
        let (before, port) = authority.split_at(bracket + colon);
        add_escaped(given, "port", &port[1..])?;
        host = before;
    }
    if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        if inner.parse::<Ipv6Addr>().is_err() {
            return Err(Error::configuration("host", format!("{inner:?} is no address")));
        }
        host = inner;
    } else if host.contains([':', '[', ']']) {
        return Err(Error::configuration("host", "an IPv6 address stands in brackets"));
    }
    if host.is_empty() {
        return Ok(());
    }
    add_escaped(given, "host", host)
}

/// The group `[hs]` of the option file. A file that is not there has none, unless `HS_OPTION_FILE`
/// names it.
fn file_options() -> Result<Given> {
    let named = env::var_os("HS_OPTION_FILE").filter(|name| !name.is_empty()).map(PathBuf::from);
    let usual = || env::var_os("HOME").map(|home| PathBuf::from(home).join(".hs.cnf"));
    let file = match named.clone().or_else(usual) {
        None => return Ok(Given::new()),
        Some(file) => file,
    };
    match fs::read_to_string(&file) {
        Ok(content) => parse_file(&content),
        Err(error) if error.kind() == io::ErrorKind::NotFound && named.is_none() => {
            Ok(Given::new())
        }
        Err(error) => {
            let what = format!("{}: {error}", file.display());
            Err(Error::configuration("HS_OPTION_FILE", what))
        }
    }
}

const BLANKS: &[char] = &[' ', '\t', '\r', '\x0b', '\x0c'];

/// Without the blanks around it.
fn trimmed(text: &str) -> &str {
    text.trim_matches(BLANKS)
}

fn parse_file(content: &str) -> Result<Given> {
    let wrong = |what| Err(Error::configuration("HS_OPTION_FILE", what));
    if content.contains('\0') {
        return wrong("it has a NUL byte");
    }
    let mut given = Given::new();
    let mut group = None;
    for line in content.split('\n').map(trimmed) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with('!') {
            return wrong("no other file is included");
        } else if let Some(rest) = line.strip_prefix('[') {
            match rest.split_once(']') {
                Some((name, _)) => group = Some(name.trim_end_matches(BLANKS)),
                None => return wrong("a group has no ]"),
            }
        } else if group.is_none() {
            return wrong("a line stands before the first group");
        } else if group.map_or(false, |name| name.eq_ignore_ascii_case("hs")) {
            match line.split_once('=') {
                Some((name, value)) => add(&mut given, trimmed(name), trimmed(value).to_owned())?,
                None => return Err(Error::configuration(line, "it has no value")),
            }
        }
    }
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_file_has_the_group_hs() {
        let given =
            parse_file("# x\n; y\n[client]\nuser = other\n[hs]\n user = app \npassword = a = b\n");
        let given = given.unwrap();
        assert_eq!(given["user"], "app");
        assert_eq!(given["password"], "a = b");
        let wrongs = ["[hs]\nnosuch = 1", "[hs]\nuser", "[hs]\nuser = a\nuser = b", "user = a"];
        for wrong in wrongs {
            assert!(matches!(parse_file(wrong), Err(Error::Configuration { .. })), "{wrong}");
        }
    }

    #[test]
    fn options_that_are_given_come_before_those_of_the_file() {
        let given = Given::from([("port".to_owned(), "7".to_owned())]);
        let file =
            Given::from([("port", "8"), ("retries", "9")].map(|(a, b)| (a.into(), b.into())));
        let options = merge(given, file).unwrap();
        assert_eq!((options.port, options.retries), (7, 9));
    }
}
