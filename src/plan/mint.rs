//! Names that no other run, case or intent has: derived from the seed, so that the same seed mints the same ones.

use sha2::{Digest, Sha256};

use crate::name::CaseId;

/// The seed of a run's plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The run's namespace: seven letters and digits.
    pub fn namespace(self) -> String {
        let digest = Sha256::digest(format!("run {}", self.0));
        let mut number = digest.iter().take(8).fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
        let mut text = String::from("r");
        for _ in 0..7 {
            let digit = u8::try_from(number % 32).unwrap_or(0);
            text.push(char::from(b"abcdefghijkmnpqrstuvwxyz23456789"[usize::from(digit)]));
            number /= 32;
        }
        text
    }
}

/// A case's id: six hexadecimal digits over what it is made of.
pub fn case_id<'a>(parts: impl IntoIterator<Item = &'a str>) -> CaseId {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    let digest = hasher.finalize();
    CaseId::from(digest.iter().take(3).map(|byte| format!("{byte:02x}")).collect::<String>())
}
