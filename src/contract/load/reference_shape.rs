//! The shape of the `reference` section of a contract file, the part that is served and not judged.

use crate::contract::Outcome;
use crate::contract::load::notation;
use crate::contract::load::shape::{CALL, DURATION, HEADERS, POINTER, STATUS};
use crate::file::{Field, Record, Shape};

const EXPRESSION: Shape =
    Shape::Pattern { says: "an expression, such as `body.user`", regex_for_schema: "", accepts: notation::expression };
const EXPRESSIONS: Shape = Shape::Map { keys: "member names", values: &EXPRESSION };
const TYPE: Shape = Shape::Pattern {
    says: "text, number, flag, object, list, `list of text`, key or any; with `?` where it may be absent",
    regex_for_schema: "^(text|number|flag|object|list|list of text|key|any)\\??$",
    accepts: |text| notation::kind(text).map(|_| ()),
};
const MEMBERS: Shape = Shape::Map { keys: "member names", values: &Shape::Text };

/// How the reference server keeps a contract.
pub static REFERENCE: Record = Record::new(
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
            "lets pass",
            "Saboteurs that break nothing that this contract promises, by name, and why.",
            Shape::Map { keys: "saboteurs", values: &Shape::Text },
        ),
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
        Field::required("status", "The status.", STATUS),
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
            Shape::Map { keys: "member names", values: &TYPE },
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
        Field::optional("on duplicate", "What is written beside it.", Shape::List(&Shape::Record(&WRITE))),
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
        Field::required("when", "An expression.", EXPRESSION),
        Field::required("outcome", "What it amounts to.", Shape::Word(Outcome::WORDS)),
        Field::required("status", "The status.", STATUS),
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
        Field::optional("unless", "Not when this expression is true.", EXPRESSION),
        Field::optional("change", "The collection of rows to change.", Shape::Text),
        Field::optional("where", "Members that they must have, as expressions.", EXPRESSIONS),
        Field::optional("set", "Members that are set.", Shape::Json),
    ],
);

static LATE: Record = Record::new(
    "late",
    "How late a row is shown.",
    &[
        Field::required("by", "By how much.", DURATION),
        Field::required("since", "The member of a row that holds the time from which this counts.", Shape::Text),
    ],
);

static ROUTE: Record = Record::new(
    "route",
    "A call of the read side.",
    &[
        Field::required("read", "The call; `{name}` binds a segment of the path.", CALL),
        Field::required("from", "The collection.", Shape::Text),
        Field::required(
            "by",
            "Members of a row, and the query parameter or path segment that each must equal.",
            MEMBERS,
        ),
        Field::optional("rows", "Where the rows go in the answer; without it the one row is the answer.", POINTER),
        Field::optional("count", "Where the number of rows goes in the answer, in place of the rows.", POINTER),
        Field::optional("hide", "Members of a row that are not shown.", Shape::List(&Shape::Text)),
        Field::optional("late", "How late it shows a row.", Shape::Record(&LATE)),
    ],
);
