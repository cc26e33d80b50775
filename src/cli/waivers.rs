//! The waiver file of a command: read and held against the contract before anything is started. It waives nothing itself.

use std::path::Path;

use crate::cli::library::read;
use crate::cli::{Failure, Library};
use crate::file::Source;
use crate::plan::Waivers;

/// Reads a waiver file, as of today.
pub fn load(path: Option<&Path>, library: &Library) -> Result<Waivers, Failure> {
    let Some(path) = path else { return Ok(Waivers::default()) };
    let source = read(path).map_err(Failure::input)?;
    let today = jiff::tz::Offset::UTC.to_datetime(jiff::Timestamp::now()).date();
    let waivers = Waivers::load(&source, Some(today)).map_err(Failure::input)?;
    waivers.against_contract(&library.contract).map_err(Failure::input)?;
    Ok(waivers)
}

/// The waivers that a history was judged by. What day it is now does not matter: it is judged as it was then.
pub fn of_history(kept: Option<&(String, String)>) -> Result<Waivers, Failure> {
    let Some((name, text)) = kept else { return Ok(Waivers::default()) };
    Waivers::load(&Source::new(name.clone(), text.clone()), None).map_err(Failure::input)
}
