//! Counts calls and their time by a hook, as a client of Prometheus or OpenTelemetry would.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use handlersocket2::{Client, Options};

fn main() -> handlersocket2::Result<()> {
    let seconds: Arc<Mutex<BTreeMap<String, Duration>>> = Arc::default();
    let observed = Arc::clone(&seconds);
    let mut options = Options::from_env()?;
    options.on_request = Some(Arc::new(move |event| {
        // histogram.with_label_values(&[event.kind, event.table]).observe(event.elapsed.as_secs_f64())
        if let Ok(mut seconds) = observed.lock() {
            *seconds.entry(event.kind.to_owned()).or_default() += event.elapsed;
        }
        if let Some(error) = event.error {
            eprintln!("{} of {}: {}", event.kind, event.table, error.kind().name());
        }
    }));
    let client = Client::open(options)?;
    client.table("test.user").columns(["user_id"]).get(101)?;
    println!("{seconds:?}");
    Ok(())
}
