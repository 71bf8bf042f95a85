//! Futures on the thread that calls, with timers, where there is no runtime to take.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::{Pin, pin};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use crate::time::Instant;

/// The longest wait at once: further away than that is for ever.
const FOREVER: Duration = Duration::from_secs(3600);

thread_local! {
    /// Who waits for which moment; the number tells those apart that wait for the same one.
    static TIMERS: RefCell<Timers> = RefCell::default();
}

#[derive(Default)]
struct Timers {
    next: u64,
    waiting: BTreeMap<(Instant, u64), Waker>,
}

/// Whether the future of a thread has something to do.
#[derive(Default)]
struct Bell {
    rung: Mutex<bool>,
    rings: Condvar,
}

impl Bell {
    fn rung(&self) -> MutexGuard<'_, bool> {
        self.rung.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it rings, or for so long.
    fn wait(&self, longest: Duration) {
        let mut rung = self.rung();
        // A wait that ends too early does no harm: the future is asked again.
        if !*rung {
            let waited = self.rings.wait_timeout(rung, longest);
            rung = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *rung = false;
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        *self.rung() = true;
        self.rings.notify_one();
    }
}

/// Runs a future to its end on this thread.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let bell = Arc::new(Bell::default());
    let waker = Waker::from(Arc::clone(&bell));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        bell.wait(TIMERS.with_borrow(|timers| match timers.waiting.first_key_value() {
            Some(((moment, _), _)) => moment.saturating_duration_since(Instant::now()),
            None => FOREVER,
        }));
        let now = Instant::now();
        let due = TIMERS.with_borrow_mut(|timers| {
            let later = timers.waiting.split_off(&(now, u64::MAX));
            std::mem::replace(&mut timers.waiting, later)
        });
        due.into_values().for_each(Waker::wake);
    }
}

/// Ends at a moment. Its thread runs it by [`block_on`].
#[derive(Debug)]
pub struct Sleep {
    until: Instant,
    place: Option<u64>,
}

impl Sleep {
    fn forget(&mut self) {
        if let Some(place) = self.place.take() {
            let forget = |timers: &RefCell<Timers>| {
                timers.borrow_mut().waiting.remove(&(self.until, place));
            };
            let _ = TIMERS.try_with(forget);
        }
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if Instant::now() >= self.until {
            self.forget();
            return Poll::Ready(());
        }
        TIMERS.with_borrow_mut(|timers| {
            let place = *self.place.get_or_insert_with(|| {
                timers.next += 1;
                timers.next
            });
            timers.waiting.insert((self.until, place), context.waker().clone());
        });
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.forget();
    }
}

/// Ends at this moment.
#[must_use]
pub fn sleep_until(until: Instant) -> Sleep {
    Sleep { until, place: None }
}

/// Ends after so long.
#[must_use]
pub fn sleep(time: Duration) -> Sleep {
    let now = Instant::now();
    sleep_until(now.checked_add(time).unwrap_or(now + FOREVER))
}

/// It took too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed;

/// What a future comes to, if it ends in time.
///
/// # Errors
/// [`Elapsed`].
pub async fn timeout<F: Future>(time: Duration, future: F) -> Result<F::Output, Elapsed> {
    let (mut future, mut end) = (pin!(future), pin!(sleep(time)));
    std::future::poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Ok(output)),
        Poll::Pending => end.as_mut().poll(context).map(|()| Err(Elapsed)),
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn timers_end_in_the_order_of_their_moments_and_leave_nothing() {
        let start = Instant::now();
        let ended = RefCell::new(Vec::new());
        let after = |time: u64| {
            let ended = &ended;
            async move {
                sleep(Duration::from_millis(time)).await;
                ended.borrow_mut().push(time);
            }
        };
        let mut waiting = [after(30), after(10), after(20)].map(Box::pin);
        block_on(std::future::poll_fn(|context| {
            for one in &mut waiting {
                if ended.borrow().len() < 3 && one.as_mut().poll(context).is_ready() {
                    *one = Box::pin(after(1_000_000));
                }
            }
            if ended.borrow().len() == 3 { Poll::Ready(()) } else { Poll::Pending }
        }));
        assert!(start.elapsed() >= Duration::from_millis(30));
        drop(waiting);
        assert_eq!(ended.into_inner(), [10, 20, 30]);
        TIMERS.with_borrow(|timers| assert!(timers.waiting.is_empty()));
    }

    #[test]
    fn what_ends_in_time_is_told_from_what_does_not() {
        let long = Duration::from_secs(100);
        assert_eq!(block_on(timeout(long, async { 7 })), Ok(7));
        assert_eq!(block_on(timeout(Duration::ZERO, sleep(long))), Err(Elapsed));
        assert_eq!(block_on(timeout(Duration::MAX, async { 7 })), Ok(7));
    }

    #[test]
    fn another_thread_wakes_a_future() {
        let (waker_of, wakers) = mpsc::channel::<Waker>();
        let awake = Arc::new(Mutex::new(false));
        let told = Arc::clone(&awake);
        let waking = std::thread::spawn(move || {
            let waker = wakers.recv().expect("it waits");
            *told.lock().expect("no panic") = true;
            waker.wake();
        });
        block_on(std::future::poll_fn(|context| {
            if *awake.lock().expect("no panic") {
                return Poll::Ready(());
            }
            waker_of.send(context.waker().clone()).expect("somebody wakes it");
            Poll::Pending
        }));
        waking.join().expect("no panic");
    }
}
