//! Names, one type for each kind of thing that has one. A name is never parsed here and never made up here.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.0)
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self(name.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(name: String) -> Self {
                Self(name)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    )*};
}

names! {
    /// An operation of a contract: one thing an API can be asked to do.
    OperationName;
    /// A kind of durable thing that an API does.
    EffectName;
    /// One thing wanted once, in one scenario.
    IntentName;
    /// A requirement's id, as reports cite it.
    RequirementId;
    /// An axis of a scenario: what `for each` varies.
    AxisName;
    /// A case: short, stable for the same scenario, cell and contract.
    CaseId;
    /// A scenario's path without its ending: its name and its selector.
    ScenarioPath;
    /// A credential of the subject.
    CredentialName;
    /// A kind of client that a contract has rules for.
    ClientName;
    /// A dimension of the key space: organization, environment, …
    ScopeName;
}

/// An attempt's place in its case's plan, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttemptNo(pub u32);
