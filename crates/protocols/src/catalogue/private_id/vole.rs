//! Private-ID with the oblivious functions of vector OLE: eprint 2022/652, section 6.2, on [`crate::kit::vole_oprf`].
//!
//! 1. Each side evaluates, at its own elements, a function whose key the other has, and its own: `G(z) = F_{k1}(z) ⊕
//!    F_{k2}(z)` is an element's identifier.
//! 2. A union of the identifiers from the mqRPMT of [`crate::kit::mqrpmt`] (first construction): `P₂` learns which of `P₁`'s it
//!    has, gets the others by oblivious transfer, and sends the union back as a sorted set, as in steps 4 and 5 of
//!    [`super`].
//!
//! **Against the Diffie–Hellman version.** 4n multiplications instead of 9n, and from some 2^12 elements on fewer bytes. The distributional union,
//! which saves the maps, has no place here: identifiers are strings and have to be mapped to the curve.
//!
//! **Security.** Semi-honest. For an element that is its own alone a side's view of the other's function is pseudorandom, so
//! the identifiers of all elements that the other side has alone are. Whoever deviates encodes as many guesses as the store has
//! columns, of which the least has 196, however few elements it declared: the vector OLE has nothing that is checked.

use rand_core::CryptoRng;
use rayon::prelude::*;
use veilset_crypto::{Element, Group, permutation};
use veilset_ot::base::Base;
use zeroize::Zeroizing;

use super::union::{Identifiers, lacking_cost, send_lacking, take_lacking};
use super::{IDENTIFIERS, LEAKS};
use crate::kit::membership::VALUES_A_TASK;
use crate::kit::mqrpmt::MqRpmt;
use crate::kit::vole_oprf::{self, OprfTerms};
use crate::kit::wording::VOLE_ASSUMPTION;
use crate::{
    Allowed, Conclusion, Cost, Leak, Operation, PartyCost, Protocol, ProtocolError, Reveal, Role,
    Run, Security, SetEncoding, Shape, Spec, Taken,
};

/// The registry entry `private-id-vole`.
pub(crate) struct VolePrivateId;

static SPEC: Spec = Spec {
    id: "private-id-vole",
    title: "Private-ID from vector OLE and a union",
    operation: Operation::Align,
    paper: "eprint 2022/652, section 6.2; eprint 2022/320, figure 4",
    security: Security::SemiHonest,
    assumption: VOLE_ASSUMPTION,
    reveals: &[Reveal::Both],
    receiver: IDENTIFIERS,
    sender: IDENTIFIERS,
    residue: IDENTIFIERS,
    leaks: &[
        LEAKS[0],
        LEAKS[1],
        LEAKS[2],
        LEAKS[3],
        LEAKS[4],
        Leak::by_cheating(
            "How many guesses of the other's keys a side that cheats can test is not bounded; private-id bounds it by what it declared.",
        ),
    ],
    max_elements: vole_oprf::MAX_POINTS,
    choices: Taken {
        group: Allowed::Of(&[Group::Curve25519]),
        digest: Allowed::Of(&SetEncoding::ALL),
        ..Taken::NOTHING
    },
    cut: false,
    auto: true,
    grouped: false,
    by_groups: None,
    on_shares: false,
    blind: false,
    withholds: false,
    with_rows: None,
};

/// The mqRPMT of the union.
const UNION: MqRpmt = MqRpmt::CwPrf;

impl Protocol for VolePrivateId {
    fn spec(&self) -> &Spec {
        &SPEC
    }

    fn cost(&self, shape: Shape) -> Cost {
        cost(&shape)
    }

    fn run(&self, mut run: Run<'_>) -> Result<Conclusion, ProtocolError> {
        // Step 1.
        let names = names(&mut run)?;
        let own = Identifiers::new(&names, names.len() + run.input.peer_count);

        // Step 2.
        run.input.elements = elements(&names);
        let count = names.len();
        let others = match run.side.role {
            Role::Sender => {
                let order = permutation(count, run.means.rng);
                UNION.p2(&run.input, &mut run.means, &order)?;
                send_lacking(&mut run, &own, &order)?
            }
            Role::Receiver => {
                let hits = UNION.p1(&run.input, &mut run.means)?.bits();
                take_lacking(&mut run, &own, &hits)?
            }
        };
        let order: Vec<u32> = (0..).take(count).collect();
        Ok(Box::new(move || Ok(own.outcome(&order, &others?))))
    }
}

/// The identifier of each element, 128 bits.
fn names(run: &mut Run<'_>) -> Result<Zeroizing<Vec<[u8; 16]>>, ProtocolError> {
    let mut sums = Zeroizing::new(vec![0; run.input.elements.len()]);
    for keyed in [Role::Sender, Role::Receiver] {
        let mine = run.side.role == keyed;
        if mine && run.input.peer_count == 0 {
            // Nobody else evaluates this side's function; any will do, but it must be there: the peer knows the other one.
            fill_randomly(&mut sums, run.means.rng);
            continue;
        }
        if !mine && run.input.elements.is_empty() {
            continue;
        }
        let terms = OprfTerms::new(run, keyed, Security::SemiHonest, Base::Ristretto);
        let elements = match keyed {
            Role::Sender => run.input.elements.clone(),
            Role::Receiver => std::mem::take(&mut run.input.elements),
        };
        let outputs = if mine {
            vole_oprf::send(&mut run.means, &terms, elements)?
        } else {
            vole_oprf::receive(&mut run.means, &terms, elements)?
        };
        let places = outputs.places.iter().zip(&*outputs.values);
        places.for_each(|(place, value)| sums[*place as usize] ^= value);
    }
    Ok(Zeroizing::new(sums.iter().map(|sum| sum.to_le_bytes()).collect()))
}

fn fill_randomly(sums: &mut [u128], rng: &mut dyn CryptoRng) {
    for sum in sums {
        let mut random = Zeroizing::new([0; 16]);
        rng.fill_bytes(&mut *random);
        *sum = u128::from_le_bytes(*random);
    }
}

/// Identifiers as the union takes its elements.
fn elements(names: &[[u8; 16]]) -> Zeroizing<Vec<Element>> {
    let names = names.par_iter().with_min_len(VALUES_A_TASK);
    let element =
        |name: &[u8; 16]| Element(blake3::derive_key("veilset v1 identifier element", name));
    Zeroizing::new(names.map(element).collect())
}

fn cost(shape: &Shape) -> Cost {
    let (sender, receiver) = (shape.sender, shape.receiver);
    let first = vole_oprf::cost(receiver, sender, Security::SemiHonest, Base::Ristretto);
    let second = vole_oprf::cost(sender, receiver, Security::SemiHonest, Base::Ristretto);
    let union = UNION.cost(shape);
    let (sent, returned) = lacking_cost(shape);
    let lacking = |bytes_sent| PartyCost { bytes_sent, ..PartyCost::default() };
    // The stages come one after the other; at the fullest moment, the end, lie both sides' identifiers, as it was measured.
    let at_once = |party: PartyCost, own: u64, peer: u64| PartyCost {
        memory: 80.0 * own as f64 + 68.0 * peer as f64,
        ..party
    };
    let (by_sender, by_receiver) = (first.0.and(second.1), first.1.and(second.0));
    Cost {
        sender: at_once(by_sender.and(union.sender).and(lacking(sent)), sender, receiver),
        receiver: at_once(by_receiver.and(union.receiver).and(lacking(returned)), receiver, sender),
        rounds: 2 * vole_oprf::ROUNDS + union.rounds + 3,
        waits: 2 * vole_oprf::waits(Security::SemiHonest),
    }
}
