//! Several key values of one text, so that texts which are nearly equal have one in common.
//!
//! Both sides make them in the same way, so what a generator makes never changes under its version.

use veilset_names::names;

use crate::Preset;
use crate::phonetic::code;

names! {
    "generators";
    /// What makes key values of the text that a preset has made of a column.
    pub enum Generator {
        /// The text, and the text without each one of its characters: texts at edit distance 1 have a value in common, and so have
        /// texts of which each lacks one character of a third.
        Deletion = "deletion",
        /// The text with each two neighbours in order: only texts that are equal, or equal but for two neighbours that changed
        /// places, have a value in common.
        Transposition = "transposition",
        /// A date whose day and month stand in order where both could be a month.
        DayMonth = "day-month",
        /// A date in its year or the one before, and in its year or the one after.
        Year = "year",
        /// The texts of all columns with it in order: it matters no more which of them is in which column.
        Swapped = "swapped",
        /// American Soundex of each word.
        Soundex = "soundex",
        /// Double Metaphone of each word, the first of its two codes.
        Metaphone = "metaphone",
        /// NYSIIS of each word.
        Nysiis = "nysiis",
        /// The Cologne phonetics of each word.
        Cologne = "cologne",
        /// Bands of a MinHash over its [`GRAM`] neighbouring characters.
        MinHash = "minhash",
    }
}

/// How many characters [`Generator::Deletion`] and [`Generator::Transposition`] look at: the first ones, so that a long text
/// costs a bounded number of values.
const LOOKED_AT: usize = 64;

/// Bytes of the longest text that is looked at there: each value holds all of it.
const LONGEST: usize = 4096;

/// Neighbouring characters that make one element of a text's set.
const GRAM: usize = 3;

/// Bands of a MinHash, and minima in each. Texts whose sets have the Jaccard index J share a band with probability
/// 1 − (1 − J^4)^16: 0.99 where J is 0.7, as after one wrong character in twenty, 0.64 at 0.5, 0.03 at 0.2.
const BANDS: usize = 16;
const MINIMA: usize = 4;

/// The most key values that a row makes under one key.
pub(crate) const MOST_VALUES: usize = 10_000;

impl Generator {
    /// The name with its version, as it stands in the terms: `deletion/1`.
    #[must_use]
    pub fn versioned(self) -> String {
        format!("{self}/1")
    }

    /// The most values that it makes of one text.
    pub(crate) const fn most(self) -> usize {
        match self {
            Self::Deletion => LOOKED_AT + 1,
            Self::Transposition => LOOKED_AT,
            Self::Year => 2,
            Self::MinHash => BANDS,
            Self::DayMonth
            | Self::Swapped
            | Self::Soundex
            | Self::Metaphone
            | Self::Nysiis
            | Self::Cologne => 1,
        }
    }

    /// Whether it makes something of what `preset` makes.
    pub(crate) fn takes(self, preset: Preset) -> bool {
        match self {
            Self::DayMonth | Self::Year => preset == Preset::Date,
            _ => !preset.reads_digests(),
        }
    }

    /// Whether it makes codes, of which there are few.
    pub(crate) const fn makes_codes(self) -> bool {
        matches!(self, Self::Soundex | Self::Metaphone | Self::Nysiis | Self::Cologne)
    }

    /// Whether this build has it.
    pub(crate) const fn is_built(self) -> bool {
        !self.makes_codes() || cfg!(feature = "phonetic")
    }

    /// What it needs of a preset, as a sentence ends.
    pub(crate) const fn needs(self) -> &'static str {
        match self {
            Self::DayMonth | Self::Year => "it needs the preset date",
            _ => "digests of nearly equal texts have nothing in common",
        }
    }

    /// Hands `each` the values of a text that a preset made; no value twice.
    pub(crate) fn values(self, text: &str, each: &mut dyn FnMut(&[u8])) {
        match self {
            Self::Deletion => deletions(text, each),
            Self::Transposition => transpositions(text, each),
            Self::DayMonth => each(&in_order(text)),
            Self::Year => years(text, each),
            Self::Swapped => each(text.as_bytes()),
            Self::Soundex | Self::Metaphone | Self::Nysiis | Self::Cologne => {
                each(&code(self, text))
            }
            Self::MinHash => bands(text, each),
        }
    }
}

/// A text without a character whose neighbour is the same is the text without the neighbour.
fn deletions(text: &str, each: &mut dyn FnMut(&[u8])) {
    each(text.as_bytes());
    if text.len() > LONGEST {
        return;
    }
    let mut before = None;
    let mut rest = String::with_capacity(text.len());
    for (at, c) in text.char_indices().take(LOOKED_AT) {
        let after = &text[at + c.len_utf8()..];
        rest.clear();
        rest.push_str(&text[..at]);
        rest.push_str(after);
        if before != Some(c) && !rest.is_empty() {
            each(rest.as_bytes());
        }
        before = Some(c);
    }
}

/// Each value begins with the place of the neighbours, so that a pair in order here is none there.
fn transpositions(text: &str, each: &mut dyn FnMut(&[u8])) {
    if text.len() > LONGEST {
        return each(&[&[u8::MAX], text.as_bytes()].concat());
    }
    let characters: Vec<char> = text.chars().collect();
    let places = characters.len().saturating_sub(1).clamp(1, LOOKED_AT);
    for place in 0..places {
        let mut ordered = characters.clone();
        if let Some(pair) = ordered.get_mut(place..place + 2) {
            pair.sort_unstable();
        }
        let mut value = vec![u8::try_from(place).unwrap_or(u8::MAX)];
        value.extend(ordered.into_iter().collect::<String>().into_bytes());
        each(&value);
    }
}

/// `2024-05-03` is `2024-03-05`; of `2024-03-15` it is known which is the month.
fn in_order(date: &str) -> Vec<u8> {
    match date.split('-').collect::<Vec<_>>()[..] {
        [year, month, day] if day <= "12" && day < month => format!("{year}-{day}-{month}").into(),
        _ => date.into(),
    }
}

/// `2023/2024-03-05` and `2024/2025-03-05`.
fn years(date: &str, each: &mut dyn FnMut(&[u8])) {
    let parts =
        date.split_once('-').and_then(|(year, rest)| Some((year.parse::<u32>().ok()?, rest)));
    // The preset makes nothing else.
    let Some((year, rest)) = parts else { return each(date.as_bytes()) };
    for later in [year, year + 1] {
        each(format!("{}/{later}-{rest}", i64::from(later) - 1).as_bytes());
    }
}

/// Every band's number, and its minima. A text of fewer characters than make an element has itself for its only one.
fn bands(text: &str, each: &mut dyn FnMut(&[u8])) {
    let functions = functions();
    let mut minima = [u64::MAX; BANDS * MINIMA];
    let mut take = |element: &str| {
        let hash = first_word(blake3::hash(element.as_bytes()).as_bytes());
        for (least, (add, times)) in minima.iter_mut().zip(functions) {
            let product = u128::from(hash ^ add) * u128::from(*times);
            *least = (*least).min((product >> 64) as u64 ^ product as u64);
        }
    };
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    starts.windows(GRAM + 1).for_each(|at| take(&text[at[0]..at[GRAM]]));
    if starts.len() <= GRAM {
        take(text);
    }
    for (number, band) in (0_u8..).zip(minima.chunks_exact(MINIMA)) {
        let mut value = vec![number];
        value.extend(band.iter().flat_map(|least| least.to_le_bytes()));
        each(&value);
    }
}

/// What the MinHash adds and multiplies, derived so that nobody chose them.
fn functions() -> &'static [(u64, u64); BANDS * MINIMA] {
    static FUNCTIONS: std::sync::LazyLock<[(u64, u64); BANDS * MINIMA]> =
        std::sync::LazyLock::new(|| {
            let mut stream = blake3::Hasher::new_derive_key("veilset minhash/1").finalize_xof();
            std::array::from_fn(|_| {
                let mut words = [0; 16];
                stream.fill(&mut words);
                (first_word(&words), first_word(&words[8..]) | 1)
            })
        });
    &FUNCTIONS
}

fn first_word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[..8]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::*;

    fn values(generator: Generator, text: &str) -> BTreeSet<Vec<u8>> {
        let mut all = Vec::new();
        generator.values(text, &mut |value| all.push(value.to_vec()));
        let distinct: BTreeSet<Vec<u8>> = all.iter().cloned().collect();
        assert_eq!(distinct.len(), all.len(), "{generator} makes no value of {text:?} twice");
        assert!((1..=generator.most()).contains(&all.len()), "{generator} {text:?}");
        distinct
    }

    fn meet(generator: Generator, one: &str, other: &str) -> bool {
        !values(generator, one).is_disjoint(&values(generator, other))
    }

    /// The length of the longest common subsequence.
    fn common(one: &[u8], other: &[u8]) -> usize {
        match (one, other) {
            ([a, one @ ..], [b, other @ ..]) if a == b => 1 + common(one, other),
            ([_, short @ ..], [_, rest @ ..]) => common(short, other).max(common(one, rest)),
            _ => 0,
        }
    }

    fn swaps(text: &str) -> BTreeSet<String> {
        let swapped = |place: usize| {
            let mut bytes = text.as_bytes().to_vec();
            bytes.swap(place, place + 1);
            String::from_utf8(bytes).expect("ASCII")
        };
        (1..text.len()).map(|end| swapped(end - 1)).collect()
    }

    proptest! {
        #[test]
        fn deletions_meet_where_each_text_lacks_one_character_at_most(one in "[abc]{1,6}", other in "[abc]{1,6}") {
            let both = common(one.as_bytes(), other.as_bytes());
            let lacks_one = both > 0 && one.len().max(other.len()) <= both + 1;
            prop_assert_eq!(meet(Generator::Deletion, &one, &other), lacks_one);
            // What the pages say of edit distances.
            let distance = strsim::levenshtein(&one, &other);
            prop_assert!(distance > 1 || lacks_one || one.len() == 1 && other.len() == 1);
            prop_assert!(!lacks_one || distance <= 2);
        }

        #[test]
        fn transpositions_meet_where_two_neighbours_changed_places(one in "[ab]{1,6}", other in "[ab]{1,6}") {
            let is_swap = one == other || swaps(&one).contains(&other);
            prop_assert_eq!(meet(Generator::Transposition, &one, &other), is_swap);
        }

        #[test]
        fn years_meet_where_they_are_neighbours(one in 1000..1005_u32, other in 1000..1005_u32, day in 10..12_u32) {
            let date = |year, day| format!("{year}-02-{day}");
            prop_assert_eq!(meet(Generator::Year, &date(one, day), &date(other, 10)), day == 10 && one.abs_diff(other) <= 1);
        }

        #[test]
        fn days_and_months_meet_in_either_order(one in (1..=12_u32, 1..=28_u32), other in (1..=12_u32, 1..=28_u32)) {
            let date = |(month, day)| format!("1980-{month:02}-{day:02}");
            let expected = one == other || (one.1, one.0) == other;
            prop_assert_eq!(meet(Generator::DayMonth, &date(one), &date(other)), expected);
        }

        #[test]
        fn every_generator_makes_something_of_everything(text in "\\PC{1,70}") {
            for generator in Generator::ALL.into_iter().filter(|one| one.is_built()) {
                prop_assert_eq!(values(generator, &text), values(generator, &text));
            }
        }
    }

    #[test]
    fn texts_that_are_too_long_stand_for_themselves() {
        for generator in [Generator::Deletion, Generator::Transposition] {
            let [one, other] = [4095, 4096].map(|n| format!("{}y", "x".repeat(n)));
            assert!(values(generator, &one).len() > 1);
            assert_eq!(values(generator, &other).len(), 1);
            assert!(meet(generator, &other, &other) && !meet(generator, &one, &other));
        }
    }

    #[cfg(feature = "phonetic")]
    #[test]
    fn words_have_the_codes_that_were_published() {
        for (generator, text, code) in [
            // Of the patents and handbooks of the codes.
            (Generator::Soundex, "robert", "R163"),
            (Generator::Soundex, "rupert", "R163"),
            (Generator::Soundex, "ashcraft", "A261"),
            (Generator::Soundex, "tymczak", "T522"),
            (Generator::Soundex, "o'hara lee", "O600 L000"),
            (Generator::Metaphone, "thompson", "TMPS"),
            (Generator::Cologne, "m\u{fc}ller-l\u{fc}denscheidt", "657 52682"),
            (Generator::Soundex, "\u{f8}degaard", "O326"),
            (Generator::Soundex, "mary\u{2013}ann", "M600 A500"),
            (Generator::Soundex, "anna (maria) & co", "A500 M600 C000"),
            (Generator::Cologne, "breschnew", "17863"),
            (Generator::Nysiis, "macintosh", "MCANT"),
            (Generator::Soundex, "\u{438}\u{432}\u{430}\u{43d}", "=\u{438}\u{432}\u{430}\u{43d}"),
            (Generator::Soundex, "4th", "=4th"),
        ] {
            assert_eq!(values(generator, text), [code.into()].into(), "{generator} {text}");
        }
    }

    /// Texts of random three-letter elements: of each pair the Jaccard index is counted, not asked of the MinHash.
    #[test]
    fn bands_meet_as_often_as_the_index_says() {
        let mut met = [(0, 0.0); 2];
        for seed in 0..400_u32 {
            let mut words = blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof();
            let mut byte = || {
                let mut byte = [0];
                words.fill(&mut byte);
                byte[0]
            };
            let text: String = (0..24).map(|_| char::from(b'a' + byte() % 26)).collect();
            for (kind, wrong) in [1, 3].into_iter().enumerate() {
                let mut other = text.clone().into_bytes();
                (0..wrong).for_each(|n| other[3 + 8 * n] = b'#');
                let other = String::from_utf8(other).expect("ASCII");
                let grams = |text: &str| -> BTreeSet<Vec<u8>> {
                    text.as_bytes().windows(GRAM).map(<[u8]>::to_vec).collect()
                };
                let (one, two) = (grams(&text), grams(&other));
                let index = one.intersection(&two).count() as f64 / one.union(&two).count() as f64;
                met[kind].0 += usize::from(meet(Generator::MinHash, &text, &other));
                met[kind].1 += 1.0 - (1.0 - index.powi(4)).powi(16);
            }
        }
        for (met, expected) in met {
            assert!((met as f64 - expected).abs() < 40.0, "{met} of 400, expected {expected}");
        }
        assert!(met[0].0 > 380 && met[1].0 < 200, "{met:?}");
        assert!(meet(Generator::MinHash, "ab", "ab") && !meet(Generator::MinHash, "ab", "ac"));
    }
}
