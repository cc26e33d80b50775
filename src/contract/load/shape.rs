//! The shape of a contract file: the one table that checks it and that prints its JSON Schema.

use crate::contract::{Outcome, load::places::duration};
use crate::file::{Field, Record, Shape};

const POINTER: Shape = Shape::Pattern {
    says: "a JSON pointer, such as /items/0/id",
    regex_for_schema: "^(/[^/]*)*$",
    accepts: |text| {
        if text.is_empty() || text.starts_with('/') { Ok(()) } else { Err(format!("`{text}` is not a JSON pointer")) }
    },
};
const DURATION: Shape = Shape::Pattern {
    says: "a duration, such as 250ms or 2s",
    regex_for_schema: "^[0-9]+(ms|s|min)$",
    accepts: |text| duration(text).map(|_| ()),
};
const POINTERS: Shape = Shape::OneOrMany(&POINTER);
const TEXTS: Shape = Shape::OneOrMany(&Shape::Text);
const HEADERS: Shape = Shape::Map { keys: "header names", values: &Shape::Text };
const EXPRESSIONS: Shape = Shape::Map { keys: "member names", values: &Shape::Text };

/// A contract file.
pub static SHAPE: Record = Record::new(
    "contract",
    "What an API promises about retries.",
    &[
        Field::required("contract", "Its name, as subject files and the command line say it.", Shape::Text),
        Field::required("title", "One line for people.", Shape::Text),
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
        Field::required("request", "Method and path, such as `POST /v1/things`.", Shape::Text),
        Field::optional("headers", "Headers besides Host, Content-Type and the credential's.", HEADERS),
        Field::optional(
            "body",
            "The body of a plain request; `{{ user }}`, `{{ case }}`, `{{ run }}` and `{{ key }}` are filled.",
            Shape::Json,
        ),
        Field::optional("effect", "What it durably does: a name under `effects`.", Shape::Text),
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
        Field::optional("length", "Fewest to most, such as `1..255 characters` or `1..64 bytes`.", Shape::Text),
        Field::optional(
            "forbid",
            "What it may not hold.",
            Shape::OneOrMany(&Shape::Word(&["U+0000", "unpaired surrogate"])),
        ),
        Field::optional("required", "A request without one is refused.", Shape::Flag),
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
        Field::optional("status", "Statuses: `200`, `2xx`, or a list.", TEXTS),
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
        Field::optional("method", "Another method.", Shape::Text),
        Field::optional("target", "Another path and query.", Shape::Text),
        Field::optional("raw", "Text to send in place of a body.", Shape::Text),
        Field::optional("headers", "Headers to send besides.", HEADERS),
        Field::optional("credential", "Who sends it: `none`, `unknown`, or a credential of the subject.", Shape::Text),
        Field::optional("hook", "A hook of the subject that provokes it.", Shape::Text),
        Field::optional("outcome", "What it must then be answered.", Shape::Word(Outcome::WORDS)),
        Field::optional("status", "The status that goes with it.", Shape::Count),
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
        Field::required(
            "read",
            "The call, such as `GET /v1/things?user={{ user }}`; members of the body are known too.",
            Shape::Text,
        ),
        Field::optional("rows", "Where the list of rows stands; without it the answer itself is the one row.", POINTER),
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

static REFERENCE: Record = Record::new(
    "reference",
    "How the reference server keeps the contract.",
    &[
        Field::required(
            "credentials",
            "Who may call.",
            Shape::Map {
                keys: "credentials",
                values: &Shape::Map { keys: "scopes and `headers`", values: &Shape::Either(&[Shape::Text, HEADERS]) },
            },
        ),
        Field::required(
            "collections",
            "What it keeps.",
            Shape::Map { keys: "collections", values: &Shape::Record(&COLLECTION) },
        ),
        Field::optional(
            "errors",
            "Answers that are not an operation's own.",
            Shape::Map { keys: "errors", values: &Shape::Record(&CANNED) },
        ),
        Field::required(
            "operations",
            "What each operation checks, does and answers.",
            Shape::Map { keys: "operations", values: &Shape::Record(&SERVED) },
        ),
        Field::optional("reads", "The read side.", Shape::List(&Shape::Record(&ROUTE))),
        Field::optional(
            "edge",
            "What a gateway in front of it answers when it breaks off, by operation; `any` for the others.",
            Shape::Map { keys: "operations", values: &Shape::Record(&CANNED) },
        ),
    ],
);

static COLLECTION: Record = Record::new(
    "collection",
    "Rows of one kind.",
    &[
        Field::required("unique", "Members that identify a row.", Shape::List(&Shape::Text)),
        Field::optional("rows", "Rows that are there from the start, in every scope.", Shape::List(&Shape::Json)),
    ],
);

static CANNED: Record = Record::new(
    "canned",
    "An answer as served; `{{ … }}` is filled.",
    &[
        Field::required("status", "The status.", Shape::Count),
        Field::optional("headers", "Headers besides those of the body.", HEADERS),
        Field::optional("body", "The body.", Shape::Json),
    ],
);

static SERVED: Record = Record::new(
    "served",
    "What an operation checks, does and answers.",
    &[
        Field::optional(
            "body",
            "Members and their types, such as `text` or `object?`.",
            Shape::Map { keys: "member names", values: &Shape::Text },
        ),
        Field::optional("find", "Rows looked up first.", Shape::Map { keys: "names", values: &Shape::Record(&LOOKUP) }),
        Field::optional(
            "refuse",
            "Checked in order; the first that is true answers.",
            Shape::List(&Shape::Record(&REFUSAL)),
        ),
        Field::optional("write", "What is written, in order.", Shape::List(&Shape::Record(&WRITE))),
        Field::required("answer", "The answer.", Shape::Record(&CANNED)),
        Field::optional("duplicate", "The answer to a duplicate, before its marker.", Shape::Record(&CANNED)),
        Field::optional("item", "Members that the answer to an item of a batch has besides.", Shape::Json),
    ],
);

static LOOKUP: Record = Record::new(
    "lookup",
    "A row looked up.",
    &[
        Field::required("in", "The collection.", Shape::Text),
        Field::required("where", "Members that must match, as expressions.", EXPRESSIONS),
    ],
);

static REFUSAL: Record = Record::new(
    "refusal",
    "When this, then that answer.",
    &[
        Field::required("when", "An expression.", Shape::Text),
        Field::required("outcome", "What it amounts to.", Shape::Word(Outcome::WORDS)),
        Field::required("status", "The status.", Shape::Count),
        Field::optional("headers", "Headers besides those of the body.", HEADERS),
        Field::optional("body", "The body.", Shape::Json),
    ],
);

static WRITE: Record = Record::new(
    "write",
    "One write: a new row, or a change of rows.",
    &[
        Field::optional(
            "put",
            "The collection of a new row; one with the same unique members is replaced.",
            Shape::Text,
        ),
        Field::optional("row", "Its members.", Shape::Json),
        Field::optional("unless", "Not when this expression is true.", Shape::Text),
        Field::optional("change", "The collection of rows to change.", Shape::Text),
        Field::optional("where", "Members that they must have, as expressions.", EXPRESSIONS),
        Field::optional("set", "Members that are set.", Shape::Json),
    ],
);

static ROUTE: Record = Record::new(
    "route",
    "A call of the read side.",
    &[
        Field::required("read", "The call; `{name}` binds a segment of the path.", Shape::Text),
        Field::required("from", "The collection.", Shape::Text),
        Field::required(
            "by",
            "Members of a row, and the query parameter or path segment that each must equal.",
            EXPRESSIONS,
        ),
        Field::optional("rows", "Where the rows go in the answer; without it the one row is the answer.", POINTER),
        Field::optional("hide", "Members of a row that are not shown.", Shape::List(&Shape::Text)),
    ],
);
