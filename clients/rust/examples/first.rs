//! Writes a row and reads it again.

use handlersocket2::{row, Client};

fn main() -> handlersocket2::Result<()> {
    let client = Client::from_env()?; // HS_URL, or the server on this machine.
    let users = client.table("test.user").columns(["user_id", "user_name"]);
    users.upsert(row! { "user_id" => 101, "user_name" => "Yukari Takeba" }, None)?;
    println!("{:?}", users.get(101)?);
    Ok(())
}
