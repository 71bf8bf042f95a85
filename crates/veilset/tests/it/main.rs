//! The facade: matching by several keys, what that costs and how it ends, and how a program ends that panics.

mod attack;
mod grouped;
mod joined;
mod linkage;
mod numbers;
mod padded;
mod several;
mod shared;
mod tiers;
mod voice;
