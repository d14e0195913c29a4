//! Rows as a struct, and a range that reads them page by page.

use handlersocket2::{record, Client, Range};

record! {
    #[derive(Debug)]
    struct User {
        user_id: u32,
        user_name: Option<String>,
    }
}

fn main() -> handlersocket2::Result<()> {
    let client = Client::from_env()?;
    let users = client.table("test.user").of::<User>();
    users.upsert(User { user_id: 101, user_name: Some("Yukari Takeba".to_owned()) }, None)?;
    if let Some(user) = users.get(101)? {
        println!("{} is {:?}", user.user_id, user.user_name);
    }
    for user in users.range(Range::new().start(100).stop(200).page(500)) {
        println!("{:?}", user?);
    }
    Ok(())
}
