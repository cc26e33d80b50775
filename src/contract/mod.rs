//! What an API promises, as read from one contract file: the oracle of every verdict. Data only; nothing here knows any
//! API by name, and nothing here judges.

mod answers;
mod client;
mod effect;
mod key;
mod load;
mod operation;
mod reference;
mod retry;
mod speech;
mod wording;

pub use answers::{AnswerRule, BodyTest, HeaderTest, Outcome, StatusSet};
pub use client::{ClientRules, KeyForm, Met, UUID, Waits};
pub use effect::{Effect, Read};
pub use key::{Forbidden, KeyPlace, KeyRule, LengthUnit, Replay, Sameness, Syntax};
pub use load::{SHAPE, TEMPLATE_NAMES, check_templates, duration, load};
pub use operation::{Batch, Contract, Counter, Edit, Operation, Reconfiguration, RequestLine, SLOW, Safety};
pub use reference::{
    CannedAnswer, Collection, Constraint, Edge, Late, Lookup, ReadRoute, Reference, ReferenceCredential,
    ReferenceOperation, Type, TypeName, Write,
};
pub use retry::{Advice, RetryRow, RowOn};
pub use speech::{Speech, SpokenAnswer};
pub use wording::Wording;
