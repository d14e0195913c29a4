//! The blocking API: the types at the root of the crate.

use crate::facade::types;
use crate::pipeline::Results;
use crate::runtime::{now, Mode};
use crate::session::TransactionOptions;

types!(Mode::Blocking);

impl Client {
    /// Carries a call out.
    pub fn run<T>(&self, call: Call<T>) -> Result<T> {
        now(self.target().run(call))
    }

    /// Begins a transaction. [`Client::transaction`] ends it by itself.
    pub fn begin(&self, options: TransactionOptions) -> Result<Transaction> {
        Ok(Transaction { session: now(Session::begin(&self.core, options))? })
    }

    /// Does something in a transaction, which is committed when that gives `Ok`, and rolled back when it
    /// gives an error or panics. Nothing is repeated by itself.
    pub fn transaction<T, E: From<crate::Error>>(
        &self,
        options: TransactionOptions,
        work: impl FnOnce(&Transaction) -> Result<T, E>,
    ) -> Result<T, E> {
        let transaction = self.begin(options)?;
        match work(&transaction) {
            Ok(result) => {
                transaction.commit()?;
                Ok(result)
            }
            Err(error) => {
                // The error of the work tells more.
                let _ = transaction.rollback();
                Err(error)
            }
        }
    }
}

impl Transaction {
    /// Carries a call out inside of the transaction.
    pub fn run<T>(&self, call: Call<T>) -> Result<T> {
        now(self.target().run(call))
    }

    /// Ends the transaction. After an error nothing was kept, unless it may have been sent.
    pub fn commit(self) -> Result<()> {
        now(self.session.commit())
    }

    /// Ends the transaction, and nothing is kept.
    pub fn rollback(self) -> Result<()> {
        now(self.session.rollback())
    }
}

impl Pipeline {
    /// Sends the calls. A broken connection is the error of the calls without an answer.
    pub fn run(self) -> Results {
        now(self.0.run())
    }
}

impl<R: FromRow> Iterator for Rows<R> {
    type Item = Result<R>;

    fn next(&mut self) -> Option<Result<R>> {
        now(self.0.next())
    }
}
