//! Tasks of tokio share a client.

use handlersocket2::row;
use handlersocket2::tokio::Client;

async fn run() -> handlersocket2::Result<()> {
    let client = Client::from_env()?;
    let users = client.table("test.user").columns(["user_id", "user_name"]);
    users.upsert(row! { "user_id" => 101, "user_name" => "Yukari Takeba" }, None).await?;
    let tasks: Vec<_> = (0..4)
        .map(|_| {
            let users = users.clone();
            tokio::spawn(async move { users.get(101).await })
        })
        .collect();
    for task in tasks {
        println!("{:?}", task.await.expect("the task ends")?);
    }
    Ok(())
}

fn main() -> handlersocket2::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(run())
}
