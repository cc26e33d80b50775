//! What was: the record of one case, made while it is played and sealed before it is judged. Nothing here judges, and
//! nothing here acts on what it holds.

mod exchange;
mod file;
mod recorder;

pub use crate::name::AttemptNo;
pub use exchange::{
    Action, CallerEnd, Commit, Ending, Entry, EntryNo, Exchange, Exit, FaultRecord, Gate, GateStamp, Observation,
    OriginEnd, Sight, Told,
};
pub use file::{FileError, HistoryReader, HistoryWriter, RunHeader, Seal};
pub use recorder::{Recorder, SealedHistory};
