//! What a run costs.

use veilset_crypto::Element;
use veilset_ot::base::Base;
use veilset_ot::silent::{BATCH, batches, silent_cost};
use veilset_structures::okvs::OkvsShape;

use super::shared::{MAX_ELEMENTS, Sizes};
use super::weight_bits;
use crate::kit::equality::{frames_of, levels};
use crate::kit::store::{DECODED, ENCODED, KIND, bytes, store_bytes};
use crate::kit::vole_oprf;
use crate::kit::wire::{frames, size, value_chunks, value_width};
use crate::{Cost, PartyCost, Reveal, Security, Shape};

/// Passes of a silent transfer: of the side with all pads, and of the other.
const TRANSFER: [f64; 2] = [1.1, 1.0];

/// Bytes that a transfer of a batch takes at the peak.
const BATCH_BYTES: f64 = 80.0;

/// Bytes that a transfer of a level takes: its chunk, its correction, its share and its pads.
const LEVEL_BYTES: f64 = 6.0;

/// Bytes that the places of an element take while bins are filled.
const PLACES: usize = 64;

pub(super) fn count(shape: &Shape) -> Cost {
    let Shape { sender, receiver, per_row, .. } = *shape;
    if sender == 0 || receiver == 0 {
        return Cost::default();
    }
    if sender.max(receiver) > MAX_ELEMENTS || per_row > 1 {
        return Cost::endless();
    }
    let sizes = Sizes::new(size(sender), size(receiver), 0);
    let (bins, points) = (sizes.table.bins(), sizes.points());
    let (of_sender, of_receiver) = vole_oprf::cost_among(bins as u64, points as u64, points as u64);

    let levels: Vec<usize> = levels(sizes.bits).map(|chunks| bins * chunks).collect();
    let transfers = silent_cost(Base::Ristretto, &[&levels[..], &[bins]].concat());
    let of_levels = |bytes: fn(usize) -> f64| levels.iter().copied().map(bytes).sum::<f64>();
    let of_batches =
        |bytes: &dyn Fn(usize) -> f64| batches(bins).map(|batch| bytes(batch.len())).sum::<f64>();
    let bits = weight_bits(bins);
    let words = |count: usize| {
        (count * value_width(bits)) as f64 + frames(value_chunks(count, bits).count())
    };
    let sent = 16.0
        + frames(1)
        + store_bytes::<u64>(points)
        + transfers.sender.0
        + frames(transfers.sender.1)
        + of_levels(tables)
        + of_batches(&words)
        + words(1);
    let told = if shape.reveal == Reveal::Both { words(1) } else { 0.0 };
    let returned = transfers.receiver.0
        + frames(transfers.receiver.1)
        + of_levels(choices)
        + of_batches(&choices)
        + told;

    let made = (levels.iter().sum::<usize>() + bins) as f64;
    let [with_all, with_one] = TRANSFER;
    // Bins, their values and one level of the test; and a batch.
    let comparing =
        24.0 * bins as f64 + LEVEL_BYTES * levels[0] as f64 + BATCH_BYTES * BATCH as f64;
    let party = |of_function: PartyCost, bytes_sent: f64, passes: f64, memory: f64| PartyCost {
        passes: of_function.passes + passes + vole_oprf::setup_passes(Base::Ristretto) / 2.0,
        bytes_sent: of_function.bytes_sent + bytes_sent,
        in_turn: of_function.in_turn + bytes_sent,
        memory: (of_function.memory + memory).max(comparing),
        ..of_function
    };
    let programming = (Element::LEN + 16 + 8 + 8 + 8) as f64 * points as f64
        + (OkvsShape::new(KIND, points).len() * bytes::<u64>()) as f64;
    let encoded = ENCODED * points as f64 + with_all * made;
    let decoded = DECODED * bins as f64 + with_one * made;
    let in_levels: usize = levels.iter().map(|count| batches(*count).count()).sum();
    let filled = (Element::LEN + 16 + PLACES) as f64 * bins as f64;
    Cost {
        sender: party(of_sender, sent, encoded, programming),
        receiver: party(of_receiver, returned, decoded, filled),
        // Of each batch trees, of each level tables, of each batch of products words; the setup and the result.
        rounds: vole_oprf::ROUNDS
            + (in_levels + levels.len() + 2 * batches(bins).count()) as u64
            + 3,
        waits: vole_oprf::waits(Security::SemiHonest),
    }
}

/// Bytes of the choices of so many transfers.
fn choices(count: usize) -> f64 {
    let [choices, _] = frames_of(count);
    count.div_ceil(2) as f64 + frames(choices.count())
}

/// Bytes of their tables.
fn tables(count: usize) -> f64 {
    let [_, tables] = frames_of(count);
    2.0 * count as f64 + frames(tables.count())
}
