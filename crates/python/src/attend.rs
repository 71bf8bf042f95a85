//! Long work on a thread of its own, while the caller's thread stays with the interpreter: it hands progress to Python,
//! and stops the work on an interrupt.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use veilset::Briefing;
use veilset::data::Warning;
use veilset::net::{Comeback, Event};
use veilset::registry::{Flooding, Observer, SetEncoding};

use crate::error::Failure;
use crate::stop::Stop;

/// How often the caller's thread looks for an interrupt, and tells how far the work is.
const TICK: Duration = Duration::from_millis(100);

/// Callables of the caller, which are called on its own thread.
#[derive(FromPyObject)]
pub(crate) struct Caller {
    /// Gets a step's name, what is done of it, and all of it.
    progress: Option<Py<PyAny>>,
    /// Gets a line about the connection.
    notify: Py<PyAny>,
    /// Gets the agreed terms as a dictionary, and says whether to go on; `None` if there is nobody to ask.
    confirm: Py<PyAny>,
}

/// What the work says.
enum News {
    Step(&'static str, u64),
    Line(String),
    Terms(Box<Terms>, Sender<Answer>),
}

/// The terms that the caller is asked about, as the attributes of `veilset.Terms`.
#[derive(IntoPyObject)]
pub(crate) struct Terms {
    learned: String,
    leaks: Vec<&'static str>,
    warnings: Vec<String>,
    peer_distinct: u64,
    operation: &'static str,
    presets: String,
    protocol: &'static str,
    group: Option<String>,
    digest: Option<&'static str>,
    flooding: Option<&'static str>,
    security: &'static str,
    learn: &'static str,
    asked_by_peer: Vec<(&'static str, String)>,
}

impl From<&Briefing> for Terms {
    fn from(briefing: &Briefing) -> Self {
        let Briefing { learned, leaks, warnings, .. } = briefing.clone();
        Self {
            learned,
            leaks,
            warnings: warnings.into_iter().map(|warning| warning.text).collect(),
            peer_distinct: briefing.peer().distinct,
            operation: briefing.operation.name(),
            presets: briefing.presets.clone(),
            protocol: briefing.protocol,
            group: briefing.choices.group_name(),
            digest: briefing.choices.digest.map(SetEncoding::name),
            flooding: briefing.choices.flooding.map(Flooding::name),
            security: briefing.security.name(),
            learn: briefing.learn.name(),
            asked_by_peer: briefing.asked_by_peer.iter().collect(),
        }
    }
}

/// What the caller says to the terms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// There is no callable to ask.
    Nobody,
    Yes,
    No,
}

/// The work's end of the line to the caller.
pub(crate) struct Reporter {
    news: Sender<News>,
    done: Arc<AtomicU64>,
}

impl Reporter {
    /// Tells what happens on the way to the peer.
    pub(crate) fn tell(&self, event: &Event) {
        self.say(event.to_string());
    }

    /// A run goes on over another connection when one is lost, of which the caller hears.
    pub(crate) fn comeback(&self) -> Comeback {
        let news = self.news.clone();
        Comeback::told(move |event| drop(news.send(News::Line(event.to_string()))))
    }

    /// Tells a line.
    pub(crate) fn say(&self, line: String) {
        self.send(News::Line(line));
    }

    /// Whether the caller goes on with these terms, and with a list of which `own` is to be known.
    pub(crate) fn confirm(&self, briefing: &Briefing, own: &[Warning]) -> Answer {
        let (answer, answered) = mpsc::channel();
        let mut terms = Terms::from(briefing);
        terms.warnings.extend(own.iter().map(|warning| warning.text.clone()));
        self.send(News::Terms(Box::new(terms), answer));
        // A caller whose callable failed has answered nothing.
        answered.recv().unwrap_or(Answer::No)
    }

    fn send(&self, news: News) {
        // The caller's thread listens until the work ends.
        let _ = self.news.send(news);
    }
}

impl Observer for Reporter {
    fn begin(&self, step: &'static str, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.send(News::Step(step, total));
    }

    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }
}

/// Does `work` and returns what comes of it. When a callable raises, or the user interrupts, the work is stopped and
/// that exception is the result.
pub(crate) fn attend<T: Send>(
    py: Python<'_>,
    caller: &Caller,
    stop: &Stop,
    work: impl FnOnce(&Reporter) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let (news, heard) = mpsc::channel();
    let done = Arc::new(AtomicU64::new(0));
    let reporter = Reporter { news, done: Arc::clone(&done) };
    let mut desk = Desk { caller, heard, done, step: None };
    py.detach(|| {
        thread::scope(|scope| {
            // The reporter goes with the work, and the line with it.
            let worker = scope.spawn(move || work(&reporter));
            let refused = desk.serve(stop);
            let result = worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            refused?;
            let result = result?;
            Python::attach(|py| desk.finish(py))?;
            Ok(result)
        })
    })
}

/// The caller's end.
struct Desk<'a> {
    caller: &'a Caller,
    heard: Receiver<News>,
    done: Arc<AtomicU64>,
    step: Option<(&'static str, u64)>,
}

impl Desk<'_> {
    /// Until the work ends; the first exception stops it.
    fn serve(&mut self, stop: &Stop) -> PyResult<()> {
        let mut outcome = Ok(());
        loop {
            let news = match self.heard.recv_timeout(TICK) {
                Ok(news) => Some(news),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return outcome,
            };
            if outcome.is_ok() {
                outcome = Python::attach(|py| self.tell(py, news));
                if outcome.is_err() {
                    stop.stop();
                }
            }
        }
    }

    fn tell(&mut self, py: Python<'_>, news: Option<News>) -> PyResult<()> {
        py.check_signals()?;
        match news {
            Some(News::Line(line)) => self.caller.notify.call1(py, (line,)).map(drop),
            Some(News::Terms(terms, answer)) => {
                let said: Option<bool> = self.caller.confirm.call1(py, (*terms,))?.extract(py)?;
                // The work waits for it.
                let _ = answer.send(match said {
                    None => Answer::Nobody,
                    Some(true) => Answer::Yes,
                    Some(false) => Answer::No,
                });
                Ok(())
            }
            Some(News::Step(step, total)) => {
                self.finish(py)?;
                self.step = Some((step, total));
                self.progress(py, step, 0, total)
            }
            None => match self.step {
                Some((step, total)) => {
                    let done = self.done.load(Ordering::Relaxed).min(total);
                    self.progress(py, step, done, total)
                }
                None => Ok(()),
            },
        }
    }

    /// A step that another follows is complete.
    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        match self.step.take() {
            Some((step, total)) => self.progress(py, step, total, total),
            None => Ok(()),
        }
    }

    fn progress(&self, py: Python<'_>, step: &str, done: u64, total: u64) -> PyResult<()> {
        match &self.caller.progress {
            Some(progress) => progress.call1(py, (step, done, total)).map(drop),
            None => Ok(()),
        }
    }
}
