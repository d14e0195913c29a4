use std::sync::Arc;
use std::time::Instant;

use crate::call::{Call, Decode};
use crate::core::Core;
use crate::describe::{self, IndexInfo};
use crate::draft::{Draft, Known, Need, TableSpec};
use crate::layout::Layout;
use crate::pipeline::Batch;
use crate::protocol::Reply;
use crate::quick::Quick;
use crate::request::{About, Answers, Request};
use crate::session::Session;
use crate::{Error, Result};

const LIKELY_LINE: usize = 120; // Bytes: few lines of one call are longer.

/// Where requests are carried out.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    Client(Arc<Core>),
    Transaction(Arc<Session>),
}

impl Target {
    pub(crate) fn core(&self) -> &Arc<Core> {
        match self {
            Target::Client(core) => core,
            Target::Transaction(session) => session.core(),
        }
    }

    pub(crate) async fn execute(&self, requests: &[Request]) -> Answers {
        match self {
            Target::Client(core) => core.execute(requests, None).await,
            Target::Transaction(session) => Box::pin(session.execute(requests)).await,
        }
    }

    /// Carries one call out.
    pub(crate) async fn run<T>(&self, call: Call<T>) -> Result<T> {
        let began = self.core().begin();
        match self.quick(&call.draft) {
            Quick::Answer(about, answer) => {
                self.settle(call.draft.kind, &about, answer, call.decode, began)
            }
            Quick::Not => self.run_usual(call, None, began).await,
            Quick::Lost(error) => self.run_usual(call, Some(error), began).await,
        }
    }

    async fn run_usual<T>(
        &self,
        call: Call<T>,
        lost: Option<Error>,
        began: Option<Instant>,
    ) -> Result<T> {
        let known = self.know(&call.draft).await?;
        let request = call.draft.finish(&known, &mut Vec::with_capacity(LIKELY_LINE))?;
        let requests = std::slice::from_ref(&request);
        let answers = match (self, lost) {
            (Target::Client(core), Some(error)) => core.execute(requests, Some(error)).await,
            _ => self.execute(requests).await,
        };
        self.settle(request.kind, &request.about, answers.only(), call.decode, began)
    }

    /// What a call needs to know of its table. The columns may have to be asked for.
    pub(crate) async fn know(&self, draft: &Draft) -> Result<Known> {
        match self.recall(draft) {
            Some(known) => Ok(known),
            None => Box::pin(self.learn(draft)).await, // What is seldom done keeps each call's future small.
        }
    }

    /// Does so for the next call, which is mostly one on the same table.
    pub(crate) async fn know_more(&self, draft: &Draft, known: &mut Known) -> Result<()> {
        let need = draft.needs();
        let same = match (&known.of, draft.table()) {
            (Some((of, for_what)), Some(table)) => Arc::ptr_eq(of, table) && *for_what == need,
            _ => false,
        };
        if same && !draft.needs_index() {
            return Ok(());
        }
        *known = Known::default(); // Nothing is left of another table's.
        *known = self.know(draft).await?;
        known.of = draft.table().map(|table| (Arc::clone(table), need));
        Ok(())
    }

    /// Reads an answer, and tells the hook.
    pub(crate) fn settle<T>(
        &self,
        kind: &str,
        about: &About,
        answer: Result<Reply>,
        decode: Decode<T>,
        began: Option<Instant>,
    ) -> Result<T> {
        let result = answer.and_then(|reply| decode(reply, &about.shape));
        self.core().settle(kind, &about.table, result.as_ref().err(), began);
        result
    }

    /// What a call needs to know, if the server need not be asked.
    fn recall(&self, draft: &Draft) -> Option<Known> {
        let table = match draft.table() {
            None => return Some(Known::default()),
            Some(table) => table,
        };
        if table.error.is_some() || draft.needs_index() {
            return None;
        }
        if draft.needs() == Need::Nothing {
            return Some(Known::default());
        }
        let version = self.core().layouts.version();
        let layout = table.last.layout(version).or_else(|| self.known_layout(table))?;
        Some(Known { layout: Some(layout), version, ..Known::default() })
    }

    async fn learn(&self, draft: &Draft) -> Result<Known> {
        let mut known = Known::default();
        let table = match draft.table() {
            None => return Ok(known),
            Some(table) => table,
        };
        if let Some(error) = &table.error {
            return Err(error.clone());
        }
        let need = draft.needs();
        if need != Need::Nothing {
            known.layout = match self.layout(table).await {
                Err(Error::Unsupported { .. }) if need == Need::Types => None,
                layout => Some(layout?),
            };
        }
        if draft.needs_index() {
            known.index = Box::pin(self.index_columns(table)).await?;
        }
        Ok(known)
    }

    /// The columns of a table, asked for once, and again when one that the table names is not
    /// known: it may have been added.
    pub(crate) async fn layout(&self, table: &TableSpec) -> Result<Arc<Layout>> {
        match self.known_layout(table) {
            Some(known) => Ok(known),
            None => self.layout_anew(table).await,
        }
    }

    /// The columns of a table, asked for in any case.
    pub(crate) async fn layout_anew(&self, table: &TableSpec) -> Result<Arc<Layout>> {
        table.check()?;
        let asking = self.ask(describe::columns(&table.name));
        let columns = Box::pin(asking).await?;
        let layout = Arc::new(Layout::new(columns, table.wanted()));
        self.core().layouts.add(&table.name, &layout);
        Ok(layout)
    }

    fn known_layout(&self, table: &TableSpec) -> Option<Arc<Layout>> {
        self.core().layouts.find(&table.name).filter(|known| known.has(table.wanted()))
    }

    /// The columns of the table's index.
    pub(crate) async fn index_columns(&self, table: &TableSpec) -> Result<Vec<IndexInfo>> {
        table.check()?;
        let own = of_index(self.ask(describe::indexes(&table.name)).await?, table);
        if own.is_empty() {
            return Err(Error::server(2, "idxnum".to_owned()));
        }
        Ok(own)
    }

    /// Carries out a call that is right for these columns of the table's index alone. In the same piece it
    /// asks whether the index still has them: one that was made anew under the same name has another order.
    pub(crate) async fn run_along<T>(
        &self,
        call: Call<T>,
        table: &TableSpec,
        is_same: impl Fn(&[IndexInfo]) -> bool,
    ) -> Result<T> {
        let mut batch = Batch::new(self.clone());
        let answer = batch.add(call);
        let told = batch.add(describe::indexes(&table.name));
        let mut results = Box::pin(batch.run()).await;
        let told = results.take(told);
        if told.as_ref().map_or(false, |all| !is_same(&of_index(all.clone(), table))) {
            self.core().layouts.forget(&table.name);
            return Err(Error::server(2, "idxnum".to_owned()));
        }
        let result = results.take(answer)?;
        told.map(|_| result)
    }

    /// Carries a call out that needs no table.
    async fn ask<T>(&self, call: Call<T>) -> Result<T> {
        let began = self.core().begin();
        let request = call.draft.finish(&Known::default(), &mut Vec::new())?;
        let answer = self.execute(std::slice::from_ref(&request)).await.only();
        self.settle(request.kind, &request.about, answer, call.decode, began)
    }

    /// The server's features.
    pub(crate) async fn features(&self) -> Result<Vec<String>> {
        let lease = self.core().read.take(false).await?;
        Ok(match &lease.features {
            crate::connection::Features::Known(all) => all.clone(),
            crate::connection::Features::Unknown => Vec::new(),
        })
    }
}

/// Those of one index of a table.
fn of_index(mut all: Vec<IndexInfo>, table: &TableSpec) -> Vec<IndexInfo> {
    let name = if table.index.is_empty() { "PRIMARY" } else { &table.index };
    all.retain(|part| part.index == name);
    all
}
