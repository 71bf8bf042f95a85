//! Numbers of one width, as words of the machine.

use veilset_ot::Block;
use zeroize::{Zeroize, Zeroizing};

/// Numbers modulo 2^32, 2^64 or 2^128.
pub(super) enum Words {
    Short(Zeroizing<Vec<u32>>),
    Long(Zeroizing<Vec<u64>>),
    Double(Zeroizing<Vec<u128>>),
}

/// A word of the machine, or two.
trait Word: Copy + Zeroize {
    fn from_le_bytes(bytes: &[u8]) -> Self;
    fn plus(self, other: Self) -> Self;
    /// The same where the lowest bit of `node` is set, else zero.
    fn where_set(self, node: Block) -> Self;
    fn negated(self) -> Self;
}

macro_rules! word {
    ($word:ty) => {
        impl Word for $word {
            #[inline]
            fn from_le_bytes(bytes: &[u8]) -> Self {
                let bytes = bytes.first_chunk().expect("as many bytes as a word has");
                <$word>::from_le_bytes(*bytes)
            }

            #[inline]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline]
            fn where_set(self, node: Block) -> Self {
                self & ((node & 1) as $word).wrapping_neg()
            }

            fn negated(self) -> Self {
                self.wrapping_neg()
            }
        }
    };
}

word!(u32);
word!(u64);
word!(u128);

/// Runs the same on words of each width.
macro_rules! on_words {
    ($words:expr, $name:ident => $body:expr) => {
        match $words {
            Words::Short($name) => $body,
            Words::Long($name) => $body,
            Words::Double($name) => $body,
        }
    };
}

impl Words {
    /// The bytes of the word that a number of so many bytes takes.
    pub(super) fn width(width: usize) -> usize {
        match width {
            ..=4 => size_of::<u32>(),
            5..=8 => size_of::<u64>(),
            _ => size_of::<u128>(),
        }
    }

    /// So many zeros of so many bytes.
    pub(super) fn zeros(width: usize, count: usize) -> Self {
        match width {
            ..=4 => Self::Short(Zeroizing::new(vec![0; count])),
            5..=8 => Self::Long(Zeroizing::new(vec![0; count])),
            _ => Self::Double(Zeroizing::new(vec![0; count])),
        }
    }

    pub(super) fn get(&self, place: usize) -> u128 {
        match self {
            Self::Short(words) => words[place].into(),
            Self::Long(words) => words[place].into(),
            Self::Double(words) => words[place],
        }
    }

    pub(super) fn negate(&mut self) {
        on_words!(self, words => words.iter_mut().for_each(|word| *word = word.negated()));
    }

    /// Adds others of the same width.
    pub(super) fn add(&mut self, more: &Self) {
        match (self, more) {
            (Self::Short(words), Self::Short(more)) => add_all(words, more),
            (Self::Long(words), Self::Long(more)) => add_all(words, more),
            (Self::Double(words), Self::Double(more)) => add_all(words, more),
            _ => unreachable!("words of one width"),
        }
    }

    /// Adds to the words of each leaf those in its bytes, and with them those in `told` where the lowest bit of its node is set.
    pub(super) fn add_leaves<'a>(
        &mut self,
        nodes: &[Block],
        leaves: impl Iterator<Item = &'a [u8]>,
        told: &[u8],
    ) {
        on_words!(self, words => add_leaves(words, nodes, leaves, told));
    }
}

fn add_all<W: Word>(words: &mut [W], more: &[W]) {
    words.iter_mut().zip(more).for_each(|(word, more)| *word = word.plus(*more));
}

fn add_leaves<'a, W: Word>(
    words: &mut [W],
    nodes: &[Block],
    leaves: impl Iterator<Item = &'a [u8]>,
    told: &[u8],
) {
    let bytes = size_of::<W>();
    match told.len() / bytes {
        1 => add_leaves_of::<W, 1>(words, nodes, leaves, told),
        2 => add_leaves_of::<W, 2>(words, nodes, leaves, told),
        4 => add_leaves_of::<W, 4>(words, nodes, leaves, told),
        8 => add_leaves_of::<W, 8>(words, nodes, leaves, told),
        count => {
            for ((words, node), leaf) in words.chunks_exact_mut(count).zip(nodes).zip(leaves) {
                let numbers = leaf.chunks_exact(bytes).zip(told.chunks_exact(bytes));
                for (word, (leaf, told)) in words.iter_mut().zip(numbers) {
                    let told = W::from_le_bytes(told).where_set(*node);
                    *word = word.plus(W::from_le_bytes(leaf)).plus(told);
                }
            }
        }
    }
}

fn add_leaves_of<'a, W: Word, const WORDS: usize>(
    words: &mut [W],
    nodes: &[Block],
    leaves: impl Iterator<Item = &'a [u8]>,
    told: &[u8],
) {
    let bytes = size_of::<W>();
    let told: [W; WORDS] = std::array::from_fn(|place| W::from_le_bytes(&told[bytes * place..]));
    let (words, _) = words.as_chunks_mut::<WORDS>();
    for ((words, node), leaf) in words.iter_mut().zip(nodes).zip(leaves) {
        for ((word, told), leaf) in words.iter_mut().zip(told).zip(leaf.chunks_exact(bytes)) {
            *word = word.plus(W::from_le_bytes(leaf)).plus(told.where_set(*node));
        }
    }
}
