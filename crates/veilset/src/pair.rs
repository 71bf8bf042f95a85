//! Both parties in this process.

use std::thread;

use veilset_net::{Listener, Options, TlsTransport, connect};
use veilset_party::Identity;
use veilset_session::ConnectedPeer;

use crate::connection::pipe;
use crate::{Connection, Error};

impl Connection {
    /// Both ends of a connection over TLS on loopback, between two identities that nobody needs to know again; the
    /// first end is the one that listened.
    ///
    /// # Errors
    /// When this machine has no loopback interface, or `options` end the wait.
    pub fn pair(options: &Options) -> Result<(Self, Self), Error> {
        let (listening, calling) = (Identity::ephemeral(), Identity::ephemeral());
        let keys = (listening.public_key(), calling.public_key());
        let listener = Listener::bind("127.0.0.1:0")?;
        let address = listener.local_addr().to_string();
        let (accepted, connected) = thread::scope(|scope| {
            let waiting = scope.spawn(|| listener.accept(&listening, keys.1, options, &|_| {}));
            let connected = connect(&calling, keys.0, &address, options, &|_| {});
            (waiting.join(), connected)
        });
        // A panic goes on here as if there were no second thread.
        let accepted = accepted.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let over = |transport: TlsTransport| {
            let (name, connecting) = (String::new(), transport.connects());
            let peer = ConnectedPeer { name, pipe: pipe(transport), connecting };
            Self { own: None, peers: vec![peer] }
        };
        Ok((over(accepted?), over(connected?)))
    }
}

#[cfg(test)]
mod tests {
    use veilset_data::{KeySpec, Table};
    use veilset_protocols::Silent;
    use veilset_session::Resources;

    use super::*;
    use crate::{Input, Job};

    #[test]
    fn two_parties_meet_in_one_process() {
        let list = |text: &str| {
            let table = Table::parse("list".into(), text.into(), b',').expect("a table");
            Input::of(table, &"k".parse::<KeySpec>().expect("a key")).expect("the column is there")
        };
        let (a, b) = (list("k\n1\n2\n3\n"), list("k\n4\n3\n2\n5\n"));
        let (here, there) = Connection::pair(&Options::default()).expect("loopback");
        let count = |way: Connection, input: &Input| {
            let ready = Job::count(["the other"]).offer(way, input)?;
            let resources = Resources { threads: 1, observer: &Silent };
            ready.run(input, &resources).map(|done| done.report.count())
        };
        let (first, second) = thread::scope(|scope| {
            let second = scope.spawn(|| count(there, &b));
            (count(here, &a), second.join().expect("no panic"))
        });
        assert_eq!((first.expect("a count"), second.expect("a count")), (Some(2), Some(2)));
    }
}
