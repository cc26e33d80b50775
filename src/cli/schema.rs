//! `onceproof schema`: the JSON Schema of a kind of file, from the same table that checks it.

use crate::cli::{Failure, exit, say};
use crate::file::schema;

/// Arguments of `schema`.
#[derive(clap::Args, Debug)]
pub struct Schema {
    /// Which kind of file.
    kind: Kind,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Kind {
    Contract,
    Scenario,
    Subject,
    Waivers,
}

impl Schema {
    /// Prints it.
    pub fn go(self) -> Result<u8, Failure> {
        let (record, id) = match self.kind {
            Kind::Contract => (&crate::contract::SHAPE, "onceproof-contract"),
            Kind::Scenario => (&crate::scenario::SHAPE, "onceproof-scenario"),
            Kind::Subject => (&crate::subject::SHAPE, "onceproof-subject"),
            Kind::Waivers => (&crate::plan::WAIVERS, "onceproof-waivers"),
        };
        say(&serde_json::to_string_pretty(&schema(record, id)).map_err(Failure::set_up)?);
        Ok(exit::OK)
    }
}
