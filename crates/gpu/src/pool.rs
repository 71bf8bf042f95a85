//! Queues of one or several devices that take batches from one list, each when it is free.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use veilset_crypto::{Accelerator, Element, Point};
use zeroize::Zeroizing;

/// What takes one batch after the other.
pub trait Worker: Send {
    /// The products of the batch; none if its device failed, which is then asked no more.
    fn compute(&mut self, batch: &Batch) -> Option<Vec<Point>>;
}

/// A scalar, not clamped yet, and what it multiplies.
#[derive(Clone)]
pub struct Batch {
    /// The scalar.
    pub scalar: Zeroizing<[u8; 32]>,
    /// What it multiplies.
    pub values: Values,
}

/// What is multiplied.
#[derive(Clone)]
pub enum Values {
    /// Where these are mapped to.
    Elements(Arc<Zeroizing<Vec<Element>>>),
    /// Points.
    Points(Arc<Vec<Point>>),
}

/// Workers for whoever asks.
pub struct Pool {
    name: String,
    batch: usize,
    batches: usize,
    list: Arc<List>,
}

impl Pool {
    /// A pool with a thread for each worker, which takes batches of at most `batch` values; half of the workers compute while the
    /// other half copy.
    #[must_use]
    pub fn new(name: String, batch: usize, workers: Vec<Box<dyn Worker>>) -> Self {
        let batches = workers.len().div_ceil(2);
        let list = Arc::new(List::default());
        list.lock().workers = workers.len();
        for worker in workers {
            let seat = Seat(Arc::clone(&list));
            // Where the system has no thread, the seat is left as by a worker that failed.
            drop(thread::Builder::new().spawn(move || seat.serve(worker)));
        }
        Self { name, batch, batches, list }
    }

    /// Has a worker compute the batch. Nothing comes if all have failed.
    pub fn start(&self, batch: Batch) -> Receiver<Vec<Point>> {
        let (reply, points) = sync_channel(1);
        let mut state = self.list.lock();
        // Without workers the job ends here, and its reply with it.
        if state.workers > 0 {
            state.jobs.push_back(Job { batch, reply });
            self.list.changed.notify_one();
        }
        points
    }
}

impl Accelerator for Pool {
    fn name(&self) -> &str {
        &self.name
    }

    fn batch(&self) -> usize {
        self.batch
    }

    fn batches(&self) -> usize {
        self.batches
    }

    fn multiply(&self, scalar: &[u8; 32], points: Arc<Vec<Point>>) -> Receiver<Vec<Point>> {
        self.start(Batch { scalar: Zeroizing::new(*scalar), values: Values::Points(points) })
    }

    fn map_and_multiply(
        &self,
        scalar: &[u8; 32],
        elements: Arc<Zeroizing<Vec<Element>>>,
    ) -> Receiver<Vec<Point>> {
        self.start(Batch { scalar: Zeroizing::new(*scalar), values: Values::Elements(elements) })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.list.lock().closed = true;
        self.list.changed.notify_all();
    }
}

struct Job {
    batch: Batch,
    reply: SyncSender<Vec<Point>>,
}

#[derive(Default)]
struct List {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// Those that did not fail.
    workers: usize,
    closed: bool,
}

impl List {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; none once the pool is gone.
    fn next(&self) -> Option<Job> {
        let idle = |state: &mut State| state.jobs.is_empty() && !state.closed;
        let state = self.changed.wait_while(self.lock(), idle);
        state.unwrap_or_else(PoisonError::into_inner).jobs.pop_front()
    }
}

/// A worker's place at the list. Who leaves it last takes all jobs along, so that nobody waits for them.
struct Seat(Arc<List>);

impl Seat {
    fn serve(self, mut worker: Box<dyn Worker>) {
        while let Some(job) = self.0.next() {
            let Some(points) = worker.compute(&job.batch) else {
                self.0.lock().jobs.push_front(job);
                self.0.changed.notify_one();
                return;
            };
            // Who asked may have gone.
            let _ = job.reply.send(points);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.workers -= 1;
        if state.workers == 0 {
            state.jobs.clear();
        }
    }
}
