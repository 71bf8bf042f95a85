//! A receipt's file, which a stranger may have sent.

use std::sync::LazyLock;

use veilset_rules::SignedReceipt;

use crate::Seed;

/// A receipt of a run between two parties.
const HONEST: &[u8] = include_bytes!("../../../vectors/receipt.json");

static SIGNED: LazyLock<SignedReceipt> =
    LazyLock::new(|| SignedReceipt::read(HONEST).expect("a receipt"));

/// Reads and verifies a receipt; whatever still verifies says what the parties of the honest one signed.
pub fn receipt(bytes: &[u8]) {
    let Ok(read) = SignedReceipt::read(bytes) else { return };
    assert_eq!(SignedReceipt::read(&read.to_bytes()).expect("it was written"), read);
    if read.verify().is_ok() {
        assert_eq!(read.statement(), SIGNED.statement());
    }
}

pub(crate) fn seeds() -> Vec<Seed> {
    vec![Seed::new("both signed", HONEST)]
}
