//! Section 7 of eprint 2022/652.

use veilset_bench::Sizes;
use veilset_crypto::Group;
use veilset_protocols::SetEncoding;

use crate::paper::{Content, Entry, Paper, PaperTable, Protocols};

/// The paper on mqRPMT.
pub(crate) const PAPER: Paper = Paper {
    name: "mqrpmt",
    source: "eprint 2022/652, section 7",
    notes: "LAN is 10 Gbit/s with 0.1 ms, WAN 50 Mbit/s with 80 ms, both simulated in memory",
    sizes: &[Sizes::equal(1 << 12), Sizes::equal(1 << 16)],
    plot: None,
    tables: &[
        table(
            "Table 1: mqRPMT (its server counts)",
            None,
            &[1, 4],
            &[
                with("mqrpmt-dh", SetEncoding::Bloom),
                with("mqrpmt-dh", SetEncoding::Shuffled),
                with("mqrpmt-dh", SetEncoding::Sorted),
            ],
        ),
        table(
            "Table 2: PSI",
            None,
            &[1],
            &[
                on("mqrpmt-dh-intersect", Group::P256Uncompressed),
                on("mqrpmt-dh-intersect", Group::P256),
                on("mqrpmt-dh-intersect", Group::Curve25519),
                on("dh", Group::Curve25519),
            ],
        ),
        table(
            "Table 3: PSI on small sets",
            Some(&[Sizes::equal(1 << 8), Sizes::equal(1 << 9), Sizes::equal(1 << 10)]),
            &[1],
            &[
                on("mqrpmt-dh-intersect", Group::Curve25519),
                on("dh", Group::Curve25519),
                on("rt21", Group::Curve25519),
            ],
        ),
        three("Table 4: PSI-card", &groups("mqrpmt-dh")),
        three("Table 5: PSI-card-sum", &groups("mqrpmt-dh-sum")),
        three("Table 6: PSU", &groups("mqrpmt-dh-union")),
        three(
            "Table 7: private-ID",
            &[on("private-id", Group::Curve25519), on("private-id-vole", Group::Curve25519)],
        ),
    ],
};

const fn on(protocol: &'static str, group: Group) -> Entry {
    Entry { protocol, group, digest: None }
}

const fn with(protocol: &'static str, digest: SetEncoding) -> Entry {
    Entry { protocol, group: Group::Curve25519, digest: Some(digest) }
}

/// The paper's ♦, ▼ and ★.
const fn groups(protocol: &'static str) -> [Entry; 3] {
    [
        on(protocol, Group::P256Uncompressed),
        on(protocol, Group::P256),
        on(protocol, Group::Curve25519),
    ]
}

const fn three(title: &'static str, rows: &'static [Entry]) -> PaperTable {
    table(title, None, &[1], rows)
}

const fn table(
    title: &'static str,
    sizes: Option<&'static [Sizes]>,
    threads: &'static [usize],
    rows: &'static [Entry],
) -> PaperTable {
    PaperTable { title, content: Content::Protocols(Protocols { sizes, threads, rows }) }
}
