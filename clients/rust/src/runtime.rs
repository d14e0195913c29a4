//! How the two APIs wait. All that they share is written once, as `async fn`. In the blocking API
//! everything that waits blocks its thread, so that a future is always ready when it is polled
//! first; [`now`] is all that it needs. In the tokio API the same futures wait for the runtime.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

/// Which API a client is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Blocking,
    #[cfg(feature = "tokio")]
    Tokio,
}

struct NeverWoken;

impl Wake for NeverWoken {
    fn wake(self: Arc<Self>) {}
}

thread_local! {
    static WAKER: Waker = Waker::from(Arc::new(NeverWoken));
}

/// The result of a future that blocks where it waits.
pub(crate) fn now<T>(mut future: impl Future<Output = T>) -> T {
    // SAFETY: nothing can move the future from here on, since its name is hidden by this one.
    #[allow(unsafe_code)]
    let future = unsafe { Pin::new_unchecked(&mut future) };
    // The clone lets a hook of the program use a client, too.
    let waker = WAKER.with(Waker::clone);
    match future.poll(&mut Context::from_waker(&waker)) {
        Poll::Ready(result) => result,
        Poll::Pending => unreachable!("a blocking client waits for nothing but its sockets"),
    }
}

/// A thread that panicked while it had the lock has left nothing half done.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// When something has to be done; without a moment there is no hurry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline(pub Option<Instant>);

impl Deadline {
    /// After some time; zero is never.
    pub(crate) fn after(time: Duration) -> Self {
        Deadline(if time.is_zero() { None } else { Instant::now().checked_add(time) })
    }

    /// The time that is left, `None` when there is no bound.
    pub(crate) fn left(self) -> Option<Duration> {
        self.0.map(|end| end.saturating_duration_since(Instant::now()))
    }
}

/// Waits without doing anything.
pub(crate) async fn sleep(mode: Mode, time: Duration) {
    match mode {
        Mode::Blocking => std::thread::sleep(time),
        #[cfg(feature = "tokio")]
        Mode::Tokio => ::tokio::time::sleep(time).await,
    }
}

/// Does something later, beside the program. Where that is impossible it is not done.
pub(crate) fn later(mode: Mode, time: Duration, work: impl FnOnce() + Send + 'static) {
    match mode {
        Mode::Blocking => {
            let thread = std::thread::Builder::new().name("handlersocket2".to_owned());
            let _ = thread.spawn(move || {
                std::thread::sleep(time);
                work();
            });
        }
        #[cfg(feature = "tokio")]
        Mode::Tokio => {
            if let Ok(runtime) = ::tokio::runtime::Handle::try_current() {
                runtime.spawn(async move {
                    ::tokio::time::sleep(time).await;
                    work();
                });
            }
        }
    }
}

#[derive(Debug)]
pub(crate) struct Places {
    free: usize,
    /// Threads that wait for one: to wake nobody is a system call, too.
    waiting: usize,
}

impl Places {
    fn take(&mut self) -> bool {
        let found = self.free > 0;
        self.free -= usize::from(found);
        found
    }
}

/// Places for so many at once.
#[derive(Debug)]
pub(crate) enum Slots {
    Blocking {
        places: Mutex<Places>,
        freed: Condvar,
    },
    #[cfg(feature = "tokio")]
    Tokio(::tokio::sync::Semaphore),
}

impl Slots {
    pub(crate) fn new(mode: Mode, count: usize) -> Self {
        match mode {
            Mode::Blocking => Slots::Blocking {
                places: Mutex::new(Places { free: count, waiting: 0 }),
                freed: Condvar::new(),
            },
            #[cfg(feature = "tokio")]
            Mode::Tokio => Slots::Tokio(::tokio::sync::Semaphore::new(count)),
        }
    }

    /// Waits for a place, and tells whether there was one in time; zero is for ever.
    pub(crate) async fn acquire(&self, time: Duration) -> bool {
        if self.try_acquire() {
            return true; // As mostly, and without a look at the clock.
        }
        let deadline = Deadline::after(time);
        match self {
            Slots::Blocking { places, freed } => {
                let mut places = lock(places);
                places.waiting += 1;
                let mut places = match deadline.left() {
                    None => freed.wait_while(places, |places| places.free == 0),
                    Some(left) => freed
                        .wait_timeout_while(places, left, |places| places.free == 0)
                        .map(|(places, _)| places)
                        .map_err(|poisoned| PoisonError::new(poisoned.into_inner().0)),
                }
                .unwrap_or_else(PoisonError::into_inner);
                places.waiting -= 1;
                places.take()
            }
            #[cfg(feature = "tokio")]
            Slots::Tokio(semaphore) => {
                let permit = match deadline.0 {
                    None => semaphore.acquire().await.ok(),
                    Some(end) => ::tokio::time::timeout_at(end.into(), semaphore.acquire())
                        .await
                        .ok()
                        .and_then(Result::ok),
                };
                permit.map(::tokio::sync::SemaphorePermit::forget).is_some()
            }
        }
    }

    /// Takes a place, if there is one now.
    pub(crate) fn try_acquire(&self) -> bool {
        match self {
            Slots::Blocking { places, .. } => lock(places).take(),
            #[cfg(feature = "tokio")]
            Slots::Tokio(semaphore) => {
                semaphore.try_acquire().map(::tokio::sync::SemaphorePermit::forget).is_ok()
            }
        }
    }

    /// Gives a place back.
    pub(crate) fn release(&self) {
        match self {
            Slots::Blocking { places, freed } => {
                let mut places = lock(places);
                places.free += 1;
                if places.waiting > 0 {
                    freed.notify_one();
                }
            }
            #[cfg(feature = "tokio")]
            Slots::Tokio(semaphore) => semaphore.add_permits(1),
        }
    }
}
