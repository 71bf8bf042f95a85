//! The user's consent to the agreed terms, and what happens while the question is open.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{BufRead, BufReader, IsTerminal, stdin};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

#[cfg(unix)]
use rustix::termios::{QueueSelector, tcflush};
use veilset::voice;

use crate::args::Talk;
use crate::error::Failure;

/// How often the peer is listened to while the question is open.
const GLANCE: Duration = Duration::from_millis(50);

/// Somebody at a terminal, who can be asked; however often they are found, they are one.
#[derive(Clone)]
pub(crate) struct Somebody(Rc<Typist>);

struct Typist {
    /// Has a line read: nothing is taken from a terminal that was not asked for.
    asked: Sender<()>,
    /// What they type; it ends with the input.
    lines: Receiver<String>,
    /// Whether a line that was asked for did not come yet: the next one answers whatever is asked then.
    is_awaited: Cell<bool>,
}

thread_local! {
    static FOUND: RefCell<Option<Somebody>> = const { RefCell::new(None) };
}

impl Somebody {
    /// Whoever sees standard error on a terminal. Where standard input is another thing, such as the list, they answer at the
    /// terminal that controls the program.
    pub(crate) fn find(talk: &Talk) -> Option<Self> {
        if talk.no_input || !voice::is_terminal() {
            return None;
        }
        FOUND.with_borrow_mut(|found| {
            if found.is_none() {
                *found = if stdin().is_terminal() {
                    Some(Self::typing(|| stdin().lock()))
                } else {
                    controlling_terminal().map(|terminal| Self::typing(|| BufReader::new(terminal)))
                };
            }
            found.clone()
        })
    }

    fn typing<R: BufRead>(open: impl FnOnce() -> R + Send + 'static) -> Self {
        let ((asked, asks), (typed, lines)) = (channel(), channel());
        // A line that is never typed is waited for until the program ends.
        thread::spawn(move || {
            let mut input = open().lines();
            while asks.recv().is_ok() {
                let Some(Ok(line)) = input.next() else { return };
                if typed.send(line).is_err() {
                    return;
                }
            }
        });
        Self(Rc::new(Typist { asked, lines, is_awaited: Cell::new(false) }))
    }

    /// Asks until there is an answer; nothing stands for `default`. Meanwhile `hears` whether the peer is still there.
    pub(crate) fn agrees(
        &self,
        question: &str,
        default: bool,
        hears: &mut dyn FnMut() -> Result<(), Failure>,
    ) -> Result<bool, Failure> {
        let choice = if default { "[Y/n]" } else { "[y/N]" };
        let mut words = "";
        loop {
            forget_keys();
            voice::ask(format_args!("{words}{question} {choice} "));
            if !self.0.is_awaited.replace(true) {
                // Where the input has ended so have the lines.
                let _ = self.0.asked.send(());
            }
            let Some(line) = self.line(hears)? else {
                voice::say("");
                return Ok(false);
            };
            if let Some(answer) = answer(&line, default) {
                return Ok(answer);
            }
            words = "please answer y or n: ";
        }
    }

    /// The next line; the end of input, which is no consent, is `None`.
    fn line(
        &self,
        hears: &mut dyn FnMut() -> Result<(), Failure>,
    ) -> Result<Option<String>, Failure> {
        loop {
            match self.0.lines.recv_timeout(GLANCE) {
                Ok(line) => {
                    self.0.is_awaited.set(false);
                    return Ok(Some(line));
                }
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(why) = hears() {
                        voice::say("");
                        return Err(why);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }
}

/// How the user consents to the terms of a run.
pub(crate) struct Consent<'a> {
    talk: &'a Talk,
    /// Whom to ask, if it was not given beforehand.
    somebody: Option<Somebody>,
}

impl<'a> Consent<'a> {
    /// Of somebody at a terminal, unless it was `given` beforehand. Where there is no terminal, giving the command was the
    /// consent.
    pub(crate) fn new(talk: &'a Talk, given: bool) -> Self {
        Self { talk, somebody: if given { None } else { Somebody::find(talk) } }
    }

    /// Whether there is somebody to ask.
    pub(crate) fn is_asked(&self) -> bool {
        self.somebody.is_some()
    }

    /// How much is said of the terms: somebody who is asked sees them, quiet or not.
    pub(crate) fn talk(&self) -> Talk {
        Talk { quiet: self.talk.quiet && !self.is_asked(), ..*self.talk }
    }

    /// Whether the run may go on; an empty answer is the `default`, and `hears` tells whether the peer is still there.
    pub(crate) fn get(
        &self,
        default: bool,
        hears: &mut dyn FnMut() -> Result<bool, veilset::Error>,
    ) -> Result<bool, Failure> {
        let Some(somebody) = &self.somebody else { return Ok(true) };
        somebody.agrees("Go on?", default, &mut || Ok(hears().map(drop)?))
    }
}

/// `None` for what is neither yes nor no.
fn answer(line: &str, default: bool) -> Option<bool> {
    match line.trim().to_ascii_lowercase().as_str() {
        "" => Some(default),
        "y" | "yes" => Some(true),
        "n" | "no" => Some(false),
        _ => None,
    }
}

/// Has the terminal forget what was typed before there was a question: no answer to it.
#[cfg(unix)]
fn forget_keys() {
    if let Some(terminal) = controlling_terminal() {
        // Where that fails, what was typed is an answer as it is to any other program.
        let _ = tcflush(terminal, QueueSelector::IFlush);
    }
}

#[cfg(not(unix))]
fn forget_keys() {}

#[cfg(unix)]
fn controlling_terminal() -> Option<File> {
    File::open("/dev/tty").ok()
}

#[cfg(not(unix))]
fn controlling_terminal() -> Option<File> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typing(text: &'static str) -> Somebody {
        Somebody::typing(move || text.as_bytes())
    }

    fn nobody_leaves() -> Result<(), Failure> {
        Ok(())
    }

    #[test]
    fn a_slip_is_asked_again_and_the_end_of_input_is_a_no() {
        for (typed, default, want) in [
            ("maybe\n\u{1b}[A\nyes\n", false, true),
            ("Y\n", false, true),
            ("\n", true, true),
            ("\n", false, false),
            ("perhaps\n No \n", true, false),
            ("perhaps\n", true, false),
            ("", true, false),
        ] {
            let agreed = typing(typed).agrees("Go on?", default, &mut nobody_leaves);
            assert_eq!(agreed.ok(), Some(want), "{typed:?}");
        }
    }

    #[test]
    fn a_line_that_was_asked_for_answers_the_next_question() {
        let ((asked, asks), (typed, lines)) = (channel(), channel());
        let typist = Typist { asked, lines, is_awaited: Cell::new(false) };
        let somebody = Somebody(Rc::new(typist));
        let mut leaves = || Err(Failure::Declined);
        assert!(somebody.agrees("Go on?", true, &mut leaves).is_err());
        typed.send("n".to_owned()).expect("heard");
        let again = somebody.agrees("Go on?", true, &mut nobody_leaves);
        assert_eq!((again.ok(), asks.try_iter().count()), (Some(false), 1));
    }

    #[test]
    fn a_peer_that_leaves_ends_the_question() {
        let ((asked, _asks), (_typed, lines)) = (channel(), channel());
        let mut leaves = || Err(Failure::Declined);
        let typist = Typist { asked, lines, is_awaited: Cell::new(false) };
        let left = Somebody(Rc::new(typist)).agrees("Go on?", true, &mut leaves);
        assert!(matches!(left, Err(Failure::Declined)));
    }
}
