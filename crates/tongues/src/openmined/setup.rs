//! The server's items under its key, in one of three structures.

use std::collections::HashSet;

use veilset_crypto::{Sec1, check_sec1};

use super::bloom::Bloom;
use super::error::{Kind, OpenMinedError, Why};
use super::gcs::Gcs;
use super::server::{Plan, Structure};
use super::wire::{ELEMENT, Field, Fields, put_bytes, put_header, put_number, put_points};

/// The server's items under its key, in one of three structures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup(Held);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Held {
    /// Sorted.
    Raw(Vec<Sec1>),
    Gcs(Gcs),
    Bloom(Bloom),
}

impl Setup {
    /// Of points.
    pub(super) fn build(mut points: Vec<Sec1>, plan: &Plan) -> Result<Self, OpenMinedError> {
        let most = points.len().max(plan.client_items);
        let rate = plan.false_positives / plan.client_items as f64;
        Ok(Self(match plan.structure {
            Structure::Raw => {
                points.sort_unstable();
                Held::Raw(points)
            }
            Structure::Gcs => Held::Gcs(Gcs::build(&points, rate, most)?),
            Structure::Bloom => Held::Bloom(Bloom::build(&points, rate, most)?),
        }))
    }

    /// What it is.
    #[must_use]
    pub fn structure(&self) -> Structure {
        match self.0 {
            Held::Raw(_) => Structure::Raw,
            Held::Gcs(_) => Structure::Gcs,
            Held::Bloom(_) => Structure::Bloom,
        }
    }

    /// How many items it has, where it shows that exactly.
    #[must_use]
    pub fn items(&self) -> Option<usize> {
        match &self.0 {
            Held::Raw(points) => Some(points.len()),
            Held::Gcs(_) | Held::Bloom(_) => None,
        }
    }

    /// Which of the points under the server's key are in it, in their order.
    pub(super) fn matches(&self, points: &[Sec1]) -> Result<Vec<usize>, OpenMinedError> {
        Ok(match &self.0 {
            Held::Raw(held) => {
                let held: HashSet<&Sec1> = held.iter().collect();
                (0..points.len()).filter(|index| held.contains(&points[*index])).collect()
            }
            Held::Gcs(set) => set.matches(points).map_err(|why| OpenMinedError::Malformed {
                kind: Kind::Setup,
                at: 0,
                why,
            })?,
            Held::Bloom(filter) => filter.matches(points),
        })
    }

    /// The setup that a server sent.
    ///
    /// # Errors
    /// When the bytes are none, its points are not on the curve, or its compressed set is none.
    pub fn decode(bytes: &[u8]) -> Result<Self, OpenMinedError> {
        let mut held = None;
        let mut fields = Fields::of(Kind::Setup, bytes);
        while let Some(field) = fields.next()? {
            let structure = match field.number {
                1 => Held::Raw(decode_points(&field)?),
                2 => Held::Gcs(Gcs::decode(field.as_fields()?, field.at)?),
                3 => Held::Bloom(Bloom::decode(field.as_fields()?, field.at)?),
                _ => continue,
            };
            if held.replace(structure).is_some() {
                return Err(field.refused(Why::TwoStructures));
            }
        }
        let (kind, why) = (Kind::Setup, Why::NoStructure);
        held.map(Self).ok_or(OpenMinedError::Malformed { kind, at: bytes.len(), why })
    }

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut inner = Vec::new();
        let field = match &self.0 {
            Held::Raw(points) => {
                put_points(1, points, &mut inner);
                1
            }
            Held::Gcs(set) => {
                put_number(1, set.div.into(), &mut inner);
                put_number(2, set.range, &mut inner);
                put_bytes(3, &set.bits, &mut inner);
                2
            }
            Held::Bloom(filter) => {
                put_number(1, filter.functions.into(), &mut inner);
                put_bytes(2, &filter.bits, &mut inner);
                3
            }
        };
        let mut out = Vec::with_capacity(inner.len() + 11);
        put_header(field, inner.len(), &mut out);
        out.append(&mut inner);
        out
    }
}

fn decode_points(field: &Field<'_>) -> Result<Vec<Sec1>, OpenMinedError> {
    let mut points = Vec::with_capacity(field.as_bytes()?.len() / ELEMENT);
    let mut fields = field.as_fields()?;
    while let Some(field) = fields.next()? {
        if field.number == 1 {
            points.push(field.as_point()?);
        }
    }
    check_sec1(&points)
        .map_err(|why| OpenMinedError::NotAPoint { kind: Kind::Setup, index: why.index })?;
    Ok(points)
}
