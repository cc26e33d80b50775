//! The shape of a subject file: the one table that checks it and that prints its JSON Schema.

use crate::contract::duration;
use crate::file::{Field, Record, Shape};

const HEADERS: Shape = Shape::Map { keys: "header names", values: &Shape::Text };

/// A subject file.
pub static SHAPE: Record = Record::new(
    "subject",
    "The implementation under test.",
    &[
        Field::optional("name", "What people call it; the file's name, unless said.", Shape::Text),
        Field::required("contract", "The contract that it is judged by.", Shape::Text),
        Field::required("server", "Where its server is.", Shape::Record(&SERVER)),
        Field::required(
            "credentials",
            "Who may call it; the first is the default.",
            Shape::Map {
                keys: "credentials",
                values: &Shape::Map { keys: "scopes and `headers`", values: &Shape::Either(&[Shape::Text, HEADERS]) },
            },
        ),
        Field::optional(
            "observe",
            "Observers of its own, by effect: a call of the read side, or a query.",
            Shape::Map { keys: "effects", values: &Shape::Either(&[Shape::Text, Shape::Record(&QUERY)]) },
        ),
        Field::optional(
            "hooks",
            "How to provoke what no call provokes, by name.",
            Shape::Map { keys: "hooks", values: &Shape::Record(&HOOK) },
        ),
        Field::optional(
            "paths",
            "Paths that differ from the contract's, by operation.",
            Shape::Map { keys: "operations", values: &Shape::Text },
        ),
        Field::optional(
            "settles",
            "A longer wait until effects show than the contract's.",
            Shape::Pattern {
                says: "a duration, such as 250ms or 2s",
                regex_for_schema: "^[0-9]+(ms|s|min)$",
                accepts: |text| duration(text).map(|_| ()),
            },
        ),
        Field::optional("allow hosts", "Hosts besides loopback that may be called.", Shape::OneOrMany(&Shape::Text)),
    ],
);

static SERVER: Record = Record::new(
    "server",
    "Where a server is, and how to run it.",
    &[
        Field::optional("url", "Its URL.", Shape::Text),
        Field::optional("urls", "The URLs of replicas of one service.", Shape::List(&Shape::Text)),
        Field::optional(
            "start",
            "A command that starts one on `{port}`; then it can be killed and started again.",
            Shape::Text,
        ),
        Field::optional(
            "environment",
            "Variables for that command.",
            Shape::Map { keys: "variables", values: &Shape::Text },
        ),
        Field::optional("ready", "A call that answers 2xx when it is ready, such as `GET /healthz`.", Shape::Text),
        Field::optional("edge", "A command that starts a gateway on `{port}`, in front of `{origin}`.", Shape::Text),
    ],
);

static QUERY: Record = Record::new(
    "query",
    "A query whose one number is the count.",
    &[
        Field::required("sql", "The database: `postgres://…`, or a SQLite file.", Shape::Text),
        Field::required("count", "The query; `{key}` and `{user}` are bound.", Shape::Text),
    ],
);

static HOOK: Record = Record::new(
    "hook",
    "How to provoke something.",
    &[Field::required("headers", "Headers to send with the attempt.", HEADERS)],
);
