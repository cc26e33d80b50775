//! The shape of a contract file: the one table that checks it and that prints its JSON Schema.

use crate::contract::Outcome;
use crate::contract::load::client::CLIENT;
use crate::contract::load::notation;
use crate::contract::load::reference_shape::REFERENCE;
use crate::file::{Field, Record, Shape};

/// A JSON pointer.
pub const POINTER: Shape = Shape::Pattern {
    says: "a JSON pointer, such as /items/0/id",
    regex_for_schema: "^(/[^/]*)*$",
    accepts: |text| notation::pointer(text).map(|_| ()),
};
/// One status.
pub const STATUS: Shape = Shape::Pattern {
    says: "a status from 100 to 599, such as 200",
    regex_for_schema: "^[1-5][0-9][0-9]$",
    accepts: |text| notation::status(text).map(|_| ()),
};
/// A call of the read side.
pub const CALL: Shape = Shape::Pattern {
    says: "a call of the read side, such as `GET /things`",
    regex_for_schema: "^GET /",
    accepts: |text| notation::call(text).map(|_| ()),
};
/// Header names and values.
pub const HEADERS: Shape = Shape::Map { keys: "header names", values: &Shape::Text };

const REQUEST: Shape = Shape::Pattern {
    says: "a method and a path, such as `POST /things`",
    regex_for_schema: "^[A-Z-]+ /",
    accepts: |text| notation::request_line(text).map(|_| ()),
};
const STATUSES: Shape = Shape::OneOrMany(&Shape::Pattern {
    says: "a status such as 200, or a class such as 5xx",
    regex_for_schema: "^[1-5]([0-9][0-9]|xx)$",
    accepts: notation::statuses,
});
pub const DURATION: Shape = Shape::Pattern {
    says: "a duration, such as 250ms or 2s",
    regex_for_schema: "^[0-9]+(ms|s|min)$",
    accepts: |text| notation::duration(text).map(|_| ()),
};
const LENGTH: Shape = Shape::Pattern {
    says: "fewest to most, such as `1..255 characters` or `1..64 bytes`",
    regex_for_schema: "^[0-9]+\\.\\.[0-9]+ (characters|bytes)$",
    accepts: |text| notation::length(text).map(|_| ()),
};
const METHOD: Shape =
    Shape::Pattern { says: "a method, such as PUT", regex_for_schema: "^[A-Z-]+$", accepts: notation::method };
const TARGET: Shape =
    Shape::Pattern { says: "a path and query, such as /things?a=1", regex_for_schema: "^/", accepts: notation::target };
const POINTERS: Shape = Shape::OneOrMany(&POINTER);
const TEXTS: Shape = Shape::OneOrMany(&Shape::Text);

/// A contract file.
pub static SHAPE: Record = Record::new(
    "contract",
    "What an API promises about retries.",
    &[
        Field::required("contract", "Its name, as subject files and the command line say it.", Shape::Text),
        Field::required("title", "One line for people.", Shape::Text),
        Field::optional("default", "The bundled contract that is meant where nobody names one.", Shape::Flag),
        Field::optional(
            "scopes",
            "The dimensions of the key space, such as organization and environment.",
            Shape::List(&Shape::Text),
        ),
        Field::required(
            "operations",
            "What the API can be asked to do.",
            Shape::Map { keys: "operations", values: &Shape::Record(&OPERATION) },
        ),
        Field::optional(
            "effects",
            "What it durably does, and where to count it.",
            Shape::Map { keys: "effects", values: &Shape::Record(&EFFECT) },
        ),
        Field::optional(
            "retry",
            "The retry matrix, row by row: `on`, and advice for operations.",
            Shape::List(&Shape::Map { keys: "`on` and operations", values: &TEXTS }),
        ),
        Field::optional(
            "clients",
            "What a client has to keep, by kind; the first is the default.",
            Shape::Map { keys: "kinds of client", values: &Shape::Record(&CLIENT) },
        ),
        Field::optional(
            "requirements",
            "What is judged, by id.",
            Shape::Map { keys: "requirement ids", values: &Shape::Record(&REQUIREMENT) },
        ),
        Field::optional("reference", "How the reference server keeps it; not judged.", Shape::Record(&REFERENCE)),
    ],
);

static OPERATION: Record = Record::new(
    "operation",
    "One thing that the API can be asked to do.",
    &[
        Field::required("request", "Method and path; a template, as the body is.", REQUEST),
        Field::optional("headers", "Headers besides Host, Content-Type and the credential's.", HEADERS),
        Field::optional(
            "body",
            "The body of a plain request; `{{ user }}`, `{{ case }}`, `{{ run }}`, `{{ key }}` and the caller's scopes are filled.",
            Shape::Json,
        ),
        Field::optional("effect", "What it durably does: a name under `effects`.", Shape::Text),
        Field::optional("repeats", "What shows its repeats, marked as such: a name under `effects`.", Shape::Text),
        Field::optional("identity", "Where an answer says what was done.", POINTER),
        Field::optional("marker", "What tells a replay from the first answer.", Shape::Record(&MARKER)),
        Field::optional("key", "What makes a retry safe.", Shape::Record(&KEY)),
        Field::optional("natural", "Asking twice is the same as asking once.", Shape::Flag),
        Field::required(
            "answers",
            "How answers are named; the first that fits.",
            Shape::Map { keys: "outcomes", values: &Shape::Record(&ANSWER) },
        ),
        Field::optional(
            "stored",
            "Outcomes that are stored under the key; every other one leaves it free.",
            Shape::OneOrMany(&Shape::Word(Outcome::WORDS)),
        ),
        Field::optional(
            "changes",
            "Ways to ask for something else that is still valid.",
            Shape::Map { keys: "changes", values: &Shape::Record(&EDIT) },
        ),
        Field::optional(
            "variants",
            "Other ways to ask that are as good as the plain one.",
            Shape::Map { keys: "variants", values: &Shape::Record(&EDIT) },
        ),
        Field::optional(
            "defects",
            "Ways to be refused.",
            Shape::Map { keys: "defects", values: &Shape::Record(&EDIT) },
        ),
        Field::optional(
            "open",
            "Differences whose meaning the source leaves open; only reported.",
            Shape::Map { keys: "differences", values: &Shape::Record(&EDIT) },
        ),
        Field::optional(
            "reconfigure",
            "How to change what a new request would be answered.",
            Shape::Record(&RECONFIGURE),
        ),
        Field::optional("batch", "Set where it carries many items of another operation.", Shape::Record(&BATCH)),
        Field::optional("safe retry", "The word that a 502 in front of it must say.", Shape::Text),
    ],
);

static MARKER: Record = Record::new(
    "marker",
    "A member that only a replay has.",
    &[Field::required("at", "Where.", POINTER), Field::required("value", "Its value.", Shape::Json)],
);

static KEY: Record = Record::new(
    "key",
    "The key of an operation.",
    &[
        Field::optional("at", "Where in the body it is carried.", POINTER),
        Field::optional("header", "The header that carries it.", Shape::Text),
        Field::optional(
            "syntax",
            "How that header writes it: `bare`, unless said, or as a String of Structured Field Values, in quotes.",
            Shape::Word(&["bare", "sf-string"]),
        ),
        Field::optional("length", "How long it may be.", LENGTH),
        Field::optional(
            "forbid",
            "What it may not hold.",
            Shape::OneOrMany(&Shape::Word(&["U+0000", "unpaired surrogate"])),
        ),
        Field::optional("required", "A request without one is refused.", Shape::Flag),
        Field::optional("empty is none", "A request with an empty one is a request without one.", Shape::Flag),
        Field::required(
            "same request",
            "What \"the same request\" is judged on.",
            Shape::Word(&["content", "key only"]),
        ),
        Field::required(
            "replay",
            "What a retry of something done brings back.",
            Shape::Word(&["verbatim", "acknowledged"]),
        ),
    ],
);

static ANSWER: Record = Record::new(
    "answer",
    "What an answer must be like to be named so.",
    &[
        Field::optional("status", "Statuses: `200`, `2xx`, or a list.", STATUSES),
        Field::optional(
            "header",
            "A header that it must have, or headers with their values.",
            Shape::Either(&[Shape::Text, HEADERS]),
        ),
        Field::optional("body", "Members that it must hold.", Shape::Json),
        Field::optional("has", "Places that must be there.", POINTERS),
        Field::optional("lacks", "Places that must not be there.", POINTERS),
        Field::optional("says", "Texts that must stand somewhere in it.", TEXTS),
    ],
);

static EDIT: Record = Record::new(
    "edit",
    "A change to a request.",
    &[
        Field::optional(
            "set",
            "Places of the body and their new values.",
            Shape::Map { keys: "JSON pointers", values: &Shape::Json },
        ),
        Field::optional("remove", "Places of the body that go.", POINTERS),
        Field::optional("method", "Another method.", METHOD),
        Field::optional("target", "Another path and query, sent as written.", TARGET),
        Field::optional("raw", "Text to send in place of a body.", Shape::Text),
        Field::optional("headers", "Headers to send besides.", HEADERS),
        Field::optional("credential", "Who sends it: `none`, `unknown`, or a credential of the subject.", Shape::Text),
        Field::optional("hook", "A hook of the subject that provokes it.", Shape::Text),
        Field::optional("outcome", "What it must then be answered.", Shape::Word(Outcome::WORDS)),
        Field::optional("status", "The status that goes with it.", STATUS),
        Field::optional("stated", "The source says that it is answered so: it is judged by itself, too.", Shape::Flag),
    ],
);

static RECONFIGURE: Record = Record::new(
    "reconfigure",
    "How to change what a new request would be answered.",
    &[
        Field::optional(
            "set",
            "Places of the body that differ, so that nobody else's case is touched.",
            Shape::Map { keys: "JSON pointers", values: &Shape::Json },
        ),
        Field::optional("before", "Operations sent before the first attempt.", TEXTS),
        Field::required("change", "Operations sent to change the configuration.", TEXTS),
    ],
);

static BATCH: Record = Record::new(
    "batch",
    "How it carries many items.",
    &[
        Field::required("of", "The operation of one item.", Shape::Text),
        Field::required("items", "Where the items go.", POINTER),
        Field::required("results", "Where their answers stand, in the order sent.", POINTER),
        Field::optional("envelope", "Members of an item's answer that a single answer does not have.", POINTERS),
        Field::required(
            "answers",
            "How an item's answer is named; the first that fits.",
            Shape::Map { keys: "outcomes", values: &Shape::Record(&ANSWER) },
        ),
        Field::optional(
            "counts",
            "Counters, by the outcome that they count.",
            Shape::Map { keys: "outcomes", values: &Shape::Record(&COUNTER) },
        ),
    ],
);

static COUNTER: Record = Record::new(
    "counter",
    "A counter in a batch answer.",
    &[
        Field::required("at", "Where.", POINTER),
        Field::optional("absent means zero", "Whether it may be left out when it is zero.", Shape::Flag),
    ],
);

static EFFECT: Record = Record::new(
    "effect",
    "A durable thing, and where to count it.",
    &[
        Field::required("read", "The call; a template that may use the members of the body that are texts, too.", CALL),
        Field::optional("rows", "Where the list of rows stands; without it the answer itself is the one row.", POINTER),
        Field::optional("count", "Where a number stands that is how many there are, in place of rows.", POINTER),
        Field::optional("identity", "What identifies a row.", POINTER),
        Field::optional("matching", "Members that a row must hold to be counted.", Shape::Json),
        Field::optional("settles", "How long it may take to show.", DURATION),
    ],
);

static REQUIREMENT: Record = Record::new(
    "requirement",
    "One testable sentence.",
    &[
        Field::required("level", "How far it binds.", Shape::Word(crate::requirement::Level::WORDS)),
        Field::required("grade", "Whether the source says it.", Shape::Word(crate::requirement::Grade::WORDS)),
        Field::optional(
            "side",
            "Who has to keep it; the server, unless said.",
            Shape::Word(crate::requirement::Side::WORDS),
        ),
        Field::optional("clients", "The kinds of client that have to keep it; all, unless said.", TEXTS),
        Field::required("source", "Where the source says it.", Shape::Text),
        Field::required("says", "The sentence.", Shape::Text),
        Field::optional("note", "What the source leaves open, and what is done about it.", Shape::Text),
        Field::optional(
            "proved by",
            "`CLAIM on OPERATION[|OPERATION] [in SCENARIO] [when AXIS=VALUE[|VALUE]]`, one or many.",
            TEXTS,
        ),
        Field::optional("not judged", "Why nothing of this version can prove it.", Shape::Text),
    ],
);
