use std::fmt;
use std::time::Instant;

use crate::call::{Call, Decode};
use crate::draft::{Draft, Known};
use crate::protocol::Reply;
use crate::request::{Answers, Request};
use crate::target::Target;
use crate::{Error, Result};

/// The place of a call in a pipeline, by which its result is taken.
pub struct Handle<T> {
    place: usize,
    decode: Decode<T>,
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.place).finish()
    }
}

/// Calls that are sent in one piece.
#[derive(Debug)]
pub(crate) struct Batch {
    target: Target,
    drafts: Vec<Draft>,
}

impl Batch {
    pub(crate) fn new(target: Target) -> Self {
        Batch { target, drafts: Vec::new() }
    }

    pub(crate) fn add<T>(&mut self, call: Call<T>) -> Handle<T> {
        self.drafts.push(call.draft);
        Handle { place: self.drafts.len() - 1, decode: call.decode }
    }

    /// Sends the calls. Those that cannot be made have their own error.
    pub(crate) async fn run(self) -> Results {
        let began = self.target.core().begin();
        let mut outcomes = Vec::with_capacity(self.drafts.len());
        let mut requests = Vec::with_capacity(self.drafts.len());
        let mut known = Known::default();
        let mut line = Vec::new();
        for draft in self.drafts {
            let made = match self.target.know_more(&draft, &mut known).await {
                Ok(()) => draft.finish(&known, &mut line),
                Err(error) => Err(error),
            };
            outcomes.push(Some(made.map(|request| {
                requests.push(request);
                requests.len() - 1
            })));
        }
        let mut answers = Answers { results: Vec::new(), failure: None };
        if !requests.is_empty() {
            answers = self.target.execute(&requests).await;
        }
        let replies = answers.results.into_iter().map(Some).collect();
        Results {
            target: self.target,
            outcomes,
            requests,
            replies,
            failure: answers.failure,
            began,
        }
    }
}

/// The results of a pipeline.
pub struct Results {
    target: Target,
    outcomes: Vec<Option<Result<usize>>>, // The place of its request. None: it was taken.
    requests: Vec<Request>,
    replies: Vec<Option<Result<Reply>>>,
    failure: Option<Error>,
    began: Option<Instant>,
}

impl fmt::Debug for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Results").field(&self.outcomes.len()).finish()
    }
}

fn none() -> Error {
    Error::value("the pipeline has no such result, or it was taken")
}

impl Results {
    /// The result of a call, or the error of this call alone. It can be taken once.
    pub fn take<T>(&mut self, handle: Handle<T>) -> Result<T> {
        let outcome = self.outcomes.get_mut(handle.place).and_then(Option::take);
        let request = outcome.ok_or_else(none)??;
        let reply = self.replies.get_mut(request).and_then(Option::take).ok_or_else(none)?;
        let Request { kind, about, .. } = &self.requests[request];
        self.target.settle(kind, about, reply, handle.decode, self.began)
    }

    /// The connection's error, which the calls without an answer have, too.
    pub fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// The first error of a call that was not taken yet, if there is one.
    pub fn check(&self) -> Result<()> {
        let errors = self.outcomes.iter().flatten().find_map(|outcome| match outcome {
            Ok(request) => self.replies.get(*request)?.as_ref()?.as_ref().err(),
            Err(error) => Some(error),
        });
        errors.map_or(Ok(()), |error| Err(error.clone()))
    }
}
