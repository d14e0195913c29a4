use std::fmt;
use std::time::Instant;

use crate::call::{Call, Decode};
use crate::draft::Draft;
use crate::layout::Shape;
use crate::protocol::Reply;
use crate::request::Request;
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
        for draft in self.drafts {
            outcomes.push(match self.target.prepare(draft).await {
                Ok((request, shape)) => {
                    requests.push(request);
                    Ok(shape)
                }
                Err(error) => Err(error),
            });
        }
        let mut failure = None;
        let mut answers = Vec::new();
        if !requests.is_empty() {
            let all = self.target.execute(&requests).await;
            (answers, failure) = (all.results, all.failure);
        }
        let mut answers = requests.into_iter().zip(answers);
        let outcomes = outcomes.into_iter().map(|outcome| {
            let shape = outcome?;
            let (request, reply) = answers.next().ok_or_else(none)?;
            Ok(Outcome { request, reply, shape })
        });
        Results { outcomes: outcomes.map(Some).collect(), target: self.target, failure, began }
    }
}

struct Outcome {
    request: Request,
    reply: Result<Reply>,
    shape: Shape,
}

/// The results of a pipeline.
pub struct Results {
    target: Target,
    outcomes: Vec<Option<Result<Outcome>>>,
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
        let outcome = outcome.ok_or_else(none)??;
        let Outcome { request, reply, shape } = outcome;
        self.target.settle(&request, reply, &shape, handle.decode, self.began)
    }

    /// The connection's error, which the calls without an answer have, too.
    pub fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// The first error of a call that was not taken yet, if there is one.
    pub fn check(&self) -> Result<()> {
        let errors = self.outcomes.iter().flatten().find_map(|outcome| match outcome {
            Ok(outcome) => outcome.reply.as_ref().err(),
            Err(error) => Some(error),
        });
        errors.map_or(Ok(()), |error| Err(error.clone()))
    }
}
