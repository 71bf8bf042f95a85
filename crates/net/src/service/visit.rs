//! One client of a service, from its first request to its parting.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use veilset_channel::{ChannelError, NetworkFault};
use veilset_party::PublicKey;

use super::{Farewell, Hall, Parting, Party, Response, Service};
use crate::Stop;
use crate::connection::{Ends, Pump};
use crate::message::{Arriving, frames};

/// How long a client may take until there is room for its next answer.
const TAKING: Duration = Duration::from_secs(10);

/// How long a connection may take to end after the last answer.
const ENDING: Duration = Duration::from_secs(2);

/// One client.
pub(super) struct Visit {
    pub(super) key: PublicKey,
    ends: Ends,
    service: Arc<dyn Service>,
    /// For long requests: of this key, and of all.
    places: [Arc<Semaphore>; 2],
    asked_to_go: AskedToGo,
    idle: Duration,
}

/// Who has a client go.
#[derive(Clone)]
struct AskedToGo {
    stop: Stop,
    dismissed: Stop,
}

impl AskedToGo {
    async fn wait(&self) -> Farewell {
        tokio::select! {
            biased;
            () = self.dismissed.stopped() => Farewell::Forbidden,
            () = self.stop.stopped() => Farewell::Stopping,
        }
    }
}

impl Visit {
    pub(super) fn new(key: PublicKey, ends: Ends, hall: &Hall, party: &Party) -> Self {
        Self {
            key,
            ends,
            service: Arc::clone(&hall.service),
            places: [Arc::clone(&party.places), Arc::clone(&hall.places)],
            asked_to_go: AskedToGo { stop: hall.stop.clone(), dismissed: party.dismissed.clone() },
            idle: hall.limits.idle,
        }
    }

    pub(super) async fn attend(self, pump: Pump) -> (PublicKey, Parting) {
        let key = self.key;
        let parting = beside(pump, self.talk()).await;
        (key, parting)
    }

    pub(super) async fn leave(self, pump: Pump, why: Farewell) {
        beside(pump, self.send_away(why)).await;
    }

    async fn talk(mut self) -> Parting {
        let asked_to_go = self.asked_to_go.clone();
        loop {
            let first = tokio::select! {
                biased;
                why = asked_to_go.wait() => return self.send_away(why).await,
                first = timeout(self.idle, self.ends.incoming.recv()) => first,
            };
            let first = match first {
                Err(_) => return Parting::Idle,
                Ok(None) => return self.ended(),
                Ok(Some(first)) => first,
            };
            let come = tokio::select! {
                biased;
                why = asked_to_go.wait() => Err(why),
                come = self.rest(&first) => Ok(come),
            };
            // The place is given back when the answer is gone, too.
            let (request, _place) = match come {
                Err(why) => return self.send_away(why).await,
                Ok(Err(parting)) => return parting,
                Ok(Ok(come)) => come,
            };
            let (service, key) = (Arc::clone(&self.service), self.key);
            let answering = spawn_blocking(move || service.answer(&key, &request));
            // What runs is answered when the service stops, and is not when its client may not ask any more.
            let answered = tokio::select! {
                biased;
                () = asked_to_go.dismissed.stopped() => None,
                answered = answering => Some(answered),
            };
            let (answer, last) = match answered {
                None => return self.send_away(Farewell::Forbidden).await,
                Some(Ok(Response::More(answer))) => (answer, false),
                Some(Ok(Response::Last(answer))) => (answer, true),
                Some(Err(_)) => return Parting::Bug,
            };
            let sent = tokio::select! {
                biased;
                // No farewell fits in between the frames of an answer.
                () = asked_to_go.dismissed.stopped() => return Parting::Sent(Farewell::Forbidden),
                sent = timeout(self.idle, self.send(&answer)) => sent,
            };
            match sent {
                Err(_) => return Parting::Stuck,
                Ok(Err(parting)) => return parting,
                Ok(Ok(())) if last => return Parting::Done,
                Ok(Ok(())) => {}
            }
        }
    }

    /// The request that this frame begins, and its place among the long ones if it is one.
    async fn rest(
        &mut self,
        first: &[u8],
    ) -> Result<(Vec<u8>, Option<[OwnedSemaphorePermit; 2]>), Parting> {
        let mut part = match self.begin(first)?.finish() {
            Ok(request) => return Ok((request, None)),
            Err(part) => part,
        };
        let patience = self.idle;
        // Among those of its key first, so that none waits for itself among all.
        let [own, all] = &self.places;
        let (Ok(own), Ok(all)) =
            (Arc::clone(own).acquire_owned().await, Arc::clone(all).acquire_owned().await)
        else {
            return Err(Parting::Bug);
        };
        let rest = async {
            loop {
                let Some(frame) = self.ends.incoming.recv().await else {
                    return Err(self.ended());
                };
                match part.with(&frame).map_err(Parting::Fault)?.finish() {
                    Ok(request) => return Ok(request),
                    Err(more) => part = more,
                }
            }
        };
        let request = timeout(patience, rest).await.map_err(|_| Parting::Idle)??;
        Ok((request, Some([own, all])))
    }

    fn begin(&self, first: &[u8]) -> Result<Arriving, Parting> {
        Arriving::begin(first, self.service.longest()).map_err(Parting::Fault)
    }

    async fn send(&self, message: &[u8]) -> Result<(), Parting> {
        for frame in frames(message) {
            match timeout(TAKING, self.ends.outgoing.send(frame)).await {
                Err(_) => return Err(Parting::Stuck),
                Ok(Err(_)) => return Err(self.ended()),
                Ok(Ok(())) => {}
            }
        }
        Ok(())
    }

    async fn send_away(self, why: Farewell) -> Parting {
        let _ = self.send(&self.service.farewell(why)).await;
        Parting::Sent(why)
    }

    fn ended(&self) -> Parting {
        match self.ends.ended.get() {
            Some(ChannelError::Network(NetworkFault::Closed | NetworkFault::Interrupted))
            | None => Parting::Done,
            Some(fault) => Parting::Fault(fault.clone()),
        }
    }
}

/// Has a connection move frames while `visit` lasts, and a little longer.
async fn beside(pump: Pump, visit: impl Future<Output = Parting>) -> Parting {
    let moving = tokio::spawn(pump.run(pending()));
    let cut = moving.abort_handle();
    let parting = visit.await;
    // The queues are gone: what is in them is still delivered, and the client closes its side.
    let _ = timeout(ENDING, moving).await;
    cut.abort();
    parting
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, OnceLock};

    use tokio::sync::mpsc;
    use tokio::time::Instant;
    use veilset_channel::MAX_FRAME;

    use super::*;
    use crate::{Callers, Note};

    const LONGEST: usize = 2 * MAX_FRAME;
    const IDLE: Duration = Duration::from_secs(60);

    /// Counts the bytes of requests.
    struct Counter(Mutex<Vec<usize>>);

    impl Service for Counter {
        fn callers(&self) -> Callers {
            Callers::default()
        }

        fn longest(&self) -> usize {
            LONGEST
        }

        fn answer(&self, _client: &PublicKey, request: &[u8]) -> Response {
            self.0.lock().expect("no panic").push(request.len());
            Response::Last(Vec::new())
        }

        fn farewell(&self, _why: Farewell) -> Vec<u8> {
            Vec::new()
        }

        fn note(&self, _note: &Note) {}
    }

    /// A client's ends of the queues, and its visit. Long requests of all have one place.
    fn client(
        service: &Arc<Counter>,
        place: &Arc<Semaphore>,
    ) -> (mpsc::Sender<Vec<u8>>, mpsc::Receiver<Vec<u8>>, Visit) {
        let (ask, incoming) = mpsc::channel(1);
        let (outgoing, answers) = mpsc::channel(1);
        let ends = Ends { outgoing, incoming, ended: Arc::new(OnceLock::new()) };
        let service: Arc<dyn Service> = Arc::<Counter>::clone(service);
        let visit = Visit {
            key: PublicKey::from_bytes([7; 32]),
            ends,
            service,
            places: [Arc::new(Semaphore::new(4)), Arc::clone(place)],
            asked_to_go: AskedToGo { stop: Stop::NEVER, dismissed: Stop::NEVER },
            idle: IDLE,
        };
        (ask, answers, visit)
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_is_begun_holds_others_up_for_as_long_as_it_may_and_no_longer() {
        let (service, place) = (Arc::new(Counter(Mutex::default())), Arc::new(Semaphore::new(1)));
        let (slow, _answers, slow_visit) = client(&service, &place);
        let (other, mut answers, other_visit) = client(&service, &place);
        let (start, request) = (Instant::now(), vec![7; LONGEST]);
        let slow_visit = tokio::spawn(slow_visit.talk());
        slow.send(frames(&request).next().expect("one at least")).await.expect("taken");
        // So that it is the first in the line.
        tokio::time::sleep(IDLE / 2).await;
        let other_visit = tokio::spawn(other_visit.talk());
        for frame in frames(&request) {
            other.send(frame).await.expect("taken");
        }
        assert_eq!(answers.recv().await, frames(&[]).next());
        assert_eq!(start.elapsed().as_secs(), IDLE.as_secs());
        let partings = (slow_visit.await, other_visit.await);
        assert!(matches!(partings, (Ok(Parting::Idle), Ok(Parting::Done))), "{partings:?}");
        assert_eq!(*service.0.lock().expect("no panic"), [LONGEST]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_asks_nothing_goes() {
        let (service, place) = (Arc::new(Counter(Mutex::default())), Arc::new(Semaphore::new(1)));
        let (_ask, _answers, visit) = client(&service, &place);
        let start = Instant::now();
        assert_eq!(visit.talk().await, Parting::Idle);
        assert_eq!(start.elapsed().as_secs(), IDLE.as_secs());
    }
}
