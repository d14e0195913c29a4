//! The asynchronous API, for the runtime tokio on systems of Unix. It is that of the crate's root with
//! `async` calls; every other type is the same. The runtime needs its I/O and its time driver.
//!
//! A call whose future is dropped has been given up: its connection is closed, and a change may have
//! been carried out.
//!
//! ```no_run
//! # async fn example() -> handlersocket2::Result<()> {
//! let client = handlersocket2::tokio::Client::connect("hs://127.0.0.1:9998?write_port=9999")?;
//! let row = client.table("test.user").get(101).await?;
//! # Ok(())
//! # }
//! ```

use crate::facade::types;
use crate::pipeline::Results;
use crate::runtime::Mode;
use crate::session::TransactionOptions;

types!(Mode::Tokio);

impl Client {
    /// Carries a call out.
    pub async fn run<T>(&self, call: Call<T>) -> Result<T> {
        self.target().run(call).await
    }

    /// Begins a transaction, which ends with its commit, or is rolled back.
    pub async fn begin(&self, options: TransactionOptions) -> Result<Transaction> {
        Ok(Transaction { session: Session::begin(&self.core, options).await? })
    }
}

impl Transaction {
    /// Carries a call out inside of the transaction.
    pub async fn run<T>(&self, call: Call<T>) -> Result<T> {
        self.target().run(call).await
    }

    /// Ends the transaction. After an error nothing was kept, unless it may have been sent.
    pub async fn commit(self) -> Result<()> {
        self.session.commit().await
    }

    /// Ends the transaction, and nothing is kept.
    pub async fn rollback(self) -> Result<()> {
        self.session.rollback().await
    }
}

impl Pipeline {
    /// Sends the calls. A broken connection is the error of the calls without an answer.
    pub async fn run(self) -> Results {
        self.0.run().await
    }
}

impl<R: FromRow> Rows<R> {
    /// The next row. After an error there are no more.
    pub async fn next(&mut self) -> Option<Result<R>> {
        self.0.next().await
    }
}
