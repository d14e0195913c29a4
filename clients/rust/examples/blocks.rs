//! A pipeline and a transaction.

use handlersocket2::{row, Client, Error, TransactionOptions};

fn main() -> handlersocket2::Result<()> {
    let client = Client::from_env()?;
    let users = client.table("test.user").columns(["user_id", "user_name"]);

    client.transaction(TransactionOptions::default(), |transaction| {
        let users = users.on(transaction);
        users.upsert(row! { "user_id" => 102, "user_name" => "first" }, None)?;
        users.update(102, row! { "user_name" => "second" }, None)?;
        Ok::<_, Error>(())
    })?;

    let mut pipeline = client.pipeline();
    let row = pipeline.add(users.call().get(102));
    let exists = pipeline.add(users.call().exists(103));
    let mut results = pipeline.run();
    println!("{:?}", results.take(row)?);
    match results.take(exists) {
        Ok(exists) => println!("103 is there: {exists}"),
        Err(error) => println!("this call alone has failed: {error}"),
    }
    Ok(())
}
