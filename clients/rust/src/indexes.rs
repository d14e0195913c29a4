use std::collections::HashMap;
use std::sync::Arc;

/// The contract's bound for open indexes of one connection.
pub(crate) const MAX_OPEN: usize = 256;

/// What P says behind the id.
pub(crate) type Spec = Arc<[u8]>;

/// The open indexes of a connection.
#[derive(Debug, Default)]
pub(crate) struct Indexes {
    open: HashMap<Spec, Opened>,
    free: Vec<u32>, // Ids whose index was refused.
    uses: u64,
    last: Option<(Spec, u32)>, // That which was used last.
}

#[derive(Debug)]
struct Opened {
    id: u32,
    used: u64,
}

impl Indexes {
    /// The id of an open index.
    pub(crate) fn find(&mut self, spec: &Spec) -> Option<u32> {
        if let Some((_, id)) = self.last.as_ref().filter(|(last, _)| Arc::ptr_eq(last, spec)) {
            return Some(*id);
        }
        let opened = self.open.get_mut(spec)?;
        self.uses += 1;
        opened.used = self.uses;
        self.last = Some((Arc::clone(spec), opened.id));
        Some(opened.id)
    }

    /// Takes an id for an index that is not open; `None`: there is no room.
    pub(crate) fn register(&mut self, spec: &Spec) -> Option<u32> {
        if self.open.len() >= MAX_OPEN {
            return None;
        }
        let id = self.free.pop().unwrap_or(self.open.len() as u32);
        self.insert(spec, id);
        Some(id)
    }

    fn insert(&mut self, spec: &Spec, id: u32) {
        self.uses += 1;
        self.last = Some((Arc::clone(spec), id));
        self.open.insert(Arc::clone(spec), Opened { id, used: self.uses });
    }

    /// Forgets an index that was refused.
    pub(crate) fn forget(&mut self, spec: &Spec) {
        self.last = None;
        if let Some(opened) = self.open.remove(spec) {
            self.free.push(opened.id);
        }
    }

    /// The index that was used longest ago, and its id.
    pub(crate) fn oldest(&self) -> Option<(Spec, u32)> {
        let (spec, opened) = self.open.iter().min_by_key(|(_, opened)| opened.used)?;
        Some((Arc::clone(spec), opened.id))
    }

    /// Says that an id now stands for another index.
    pub(crate) fn replace(&mut self, old: &Spec, new: &Spec) {
        self.last = None;
        if let Some(opened) = self.open.remove(old) {
            self.insert(new, opened.id);
        }
    }
}
