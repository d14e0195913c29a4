use std::mem;

use crate::connection::{Connection, Piece};
use crate::indexes::Spec;
use crate::protocol::{append_number, Reply};
use crate::request::Request;
use crate::runtime::Deadline;
use crate::{Error, Result};

/// A request of one piece of lines.
#[derive(Debug)]
struct Step {
    id: Option<u32>,
    opens: bool,                     // A P stands before it.
    unsupported: Option<Box<Error>>, // It is not sent. Few have one, and it is large.
}

/// What an exchange is made with. Its memory serves the next one, too.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub lines: Vec<u8>,
    pieces: Vec<Piece>,
    steps: Vec<Step>,
    replies: Vec<Reply>,
}

impl Work {
    const KEPT_LINES: usize = 64 << 10; // Bytes; and so many of the others.
    const KEPT: usize = 1_000;

    fn clear(&mut self) {
        if self.lines.capacity() > Self::KEPT_LINES || self.replies.capacity() > Self::KEPT {
            *self = Work::default();
        }
        self.lines.clear();
        self.pieces.clear();
        self.steps.clear();
        self.replies.clear();
    }
}

impl Connection {
    /// Carries requests out, and adds a result for each that was answered.
    pub(crate) async fn exchange(
        &mut self,
        requests: &[Request],
        deadline: Deadline,
        results: &mut Vec<Result<Reply>>,
    ) -> Result<()> {
        let begun = results.len();
        while let Some(rest) = requests.get(results.len() - begun..).filter(|r| !r.is_empty()) {
            if self.broken {
                return Err(Error::connection("it has ended behind an earlier call", true));
            }
            let mut work = mem::take(&mut self.work);
            self.prepare(rest, &mut work);
            if work.steps.is_empty() {
                if let Err(error) = Box::pin(self.replace_oldest(&rest[0], deadline)).await? {
                    results.push(Err(error));
                }
                continue;
            }
            let Work { lines, pieces, replies, .. } = &mut work;
            let most = rest.iter().map(|request| request.expect.most_values()).max().unwrap_or(0);
            let end = self.talk(lines, pieces, most, deadline, replies).await;
            let taken = self.finish(rest, &mut work, results);
            self.work = work;
            end.and(taken)?;
        }
        Ok(())
    }

    /// Makes one piece of as many requests as there is room for their indexes. The openings go along: an
    /// id that is refused is not open, so that the request behind it does nothing.
    fn prepare(&mut self, requests: &[Request], work: &mut Work) {
        work.clear();
        let Work { lines, pieces, steps, .. } = work;
        for request in requests {
            let mut step = Step { id: None, opens: false, unsupported: None };
            if !self.has(request.needs) {
                let feature = request.needs.to_owned();
                step.unsupported = Some(Box::new(Error::Unsupported { feature }));
                pieces.push(Piece { end: lines.len(), replies: 0 });
                steps.push(step);
                continue;
            }
            if let Some(spec) = &request.about.spec {
                step.id = self.indexes.find(spec);
                if step.id.is_none() {
                    step.id = self.indexes.register(spec);
                    step.opens = true;
                }
                let id = match step.id {
                    Some(id) => id,
                    None => break,
                };
                if step.opens {
                    append_opening(lines, id, spec);
                }
                append_number(lines, id.into());
                lines.push(b'\t');
            }
            lines.extend_from_slice(request.body.as_slice());
            lines.push(b'\n');
            pieces.push(Piece { end: lines.len(), replies: 1 + usize::from(step.opens) });
            steps.push(step);
        }
    }

    /// Hands the replies to their requests, as far as they have come. The error is that of a reply to
    /// something else, after which the connection is of no use.
    fn finish(
        &mut self,
        requests: &[Request],
        work: &mut Work,
        results: &mut Vec<Result<Reply>>,
    ) -> Result<()> {
        let mut taken = Ok(());
        let mut replies = work.replies.drain(..);
        let mut refused: Vec<(u32, &Spec, Error)> = Vec::new();
        for (step, request) in work.steps.drain(..).zip(requests) {
            if let Some(error) = step.unsupported {
                results.push(Err(*error));
                continue;
            }
            if step.opens {
                let opened = match replies.next() {
                    Some(opened) => opened,
                    None => break,
                };
                if let (Some(error), Some(id), Some(spec)) =
                    (opened.error(), step.id, &request.about.spec)
                {
                    refused.push((id, spec, error));
                } else if !opened.is_empty() {
                    taken = Err(self.astray());
                    break;
                }
            }
            let reply = match replies.next() {
                Some(reply) => reply,
                None => break,
            };
            let of_index = refused.iter().find(|(id, ..)| Some(*id) == step.id);
            results.push(if let Some((.., error)) = of_index {
                Err(error.clone())
            } else if let Some(error) = reply.error().filter(|_| !request.raw) {
                Err(error)
            } else {
                self.changed |= request.change;
                if !(request.raw || request.is_met(&reply)) {
                    taken = Err(self.astray());
                    break;
                }
                Ok(reply)
            });
        }
        for (_, spec, _) in refused {
            self.indexes.forget(spec);
        }
        taken
    }

    /// The error of a reply to something else.
    pub(crate) fn astray(&mut self) -> Error {
        self.broken = true;
        Error::protocol("it answers something else than was asked")
    }

    /// Opens an index under the id that was used longest ago. That index stays when the new one is
    /// refused, so nothing may be sent behind it before the reply. The inner result is the server's.
    async fn replace_oldest(&mut self, request: &Request, end: Deadline) -> Result<Result<()>> {
        let (oldest, spec) = match (self.indexes.oldest(), &request.about.spec) {
            (Some(oldest), Some(spec)) => (oldest, spec),
            _ => return Ok(Err(Error::value("there is no index to replace"))),
        };
        let mut line = Vec::new();
        append_opening(&mut line, oldest.1, spec);
        let reply = self.ask(&line, end).await?;
        if let Some(error) = reply.error() {
            return Ok(Err(error));
        }
        if !reply.is_empty() {
            return Err(self.astray());
        }
        self.indexes.replace(&oldest.0, spec);
        Ok(Ok(()))
    }
}

fn append_opening(lines: &mut Vec<u8>, id: u32, spec: &Spec) {
    lines.extend_from_slice(b"P\t");
    append_number(lines, id.into());
    lines.push(b'\t');
    lines.extend_from_slice(spec);
    lines.push(b'\n');
}
