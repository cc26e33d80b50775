//! The shape of a scenario file: the one table that checks it and that prints its JSON Schema.

use crate::file::{Field, Record, Shape};
use crate::scenario::Need;

const NAMES: Shape = Shape::OneOrMany(&Shape::Text);
const CLAIMS: Shape = Shape::List(&Shape::Map { keys: "claims", values: &NAMES });

/// A scenario file.
pub static SHAPE: Record = Record::new(
    "scenario",
    "What is wanted, what each attempt meets, and what must then hold.",
    &[
        Field::required("title", "One sentence.", Shape::Text),
        Field::required("because", "Why it matters.", Shape::Text),
        Field::optional(
            "needs",
            "What a contract must declare for it to apply.",
            Shape::List(&Shape::Word(Need::WORDS)),
        ),
        Field::required(
            "given",
            "What is wanted: intents, by name.",
            Shape::Map { keys: "intents", values: &Shape::Record(&INTENT) },
        ),
        Field::required("when", "What happens, in order.", Shape::List(&Shape::Record(&STEP))),
        Field::optional(
            "for each",
            "What varies: axes, with values or a phrase that the contract fills.",
            Shape::Map { keys: "axes", values: &NAMES },
        ),
        Field::optional(
            "server must",
            "What must then hold of the server: claims, and the intents that they are about.",
            CLAIMS,
        ),
        Field::optional("client must", "What must then hold of the client.", CLAIMS),
        Field::optional("both must", "Beside `client must`: what must hold of the server that it met.", CLAIMS),
    ],
);

static INTENT: Record = Record::new(
    "intent",
    "One thing wanted once, attempted many times.",
    &[
        Field::optional("operation", "The operation; of the items, for a batch.", Shape::Text),
        Field::optional("same as", "The intent whose key, user and content it repeats.", Shape::Text),
        Field::optional("same key as", "The intent whose key it uses for content of its own.", Shape::Text),
        Field::optional("key", "The kind of key; a fresh one, unless said.", Shape::Text),
        Field::optional("change", "A change of the content that the contract declares.", Shape::Text),
        Field::optional("variant", "A declared way to ask that is as good as the plain one.", Shape::Text),
        Field::optional("defect", "A way to be refused that the contract declares.", Shape::Text),
        Field::optional("open", "A difference that the contract leaves open.", Shape::Text),
        Field::optional("spelled", "How the same content is written or carried.", Shape::Text),
        Field::optional("credential", "Who sends it: `none`, `unknown`, `again`, `other SCOPE`.", Shape::Text),
        Field::optional("items", "The intents that are its items, for a batch.", NAMES),
        Field::optional("configured", "Made in a configuration of its own, for `reconfigure`.", Shape::Flag),
        Field::optional("slow", "It takes long to be worked on, by the subject's hook `slow`.", Shape::Flag),
    ],
);

static STEP: Record = Record::new(
    "step",
    "One step: `send`, `at once`, `restart`, `observe` or `reconfigure`.",
    &[
        Field::optional("send", "Attempts, one after the other, at this intent.", Shape::Text),
        Field::optional("meets", "What each attempt meets; `clear`, unless said.", NAMES),
        Field::optional("thereafter", "What every later attempt of a client meets; `clear`, unless said.", Shape::Text),
        Field::optional("times", "How often the whole list is gone through.", Shape::Text),
        Field::optional("to", "Where it is sent.", Shape::Word(&["other replica"])),
        Field::optional("behind", "Through the gateway, with the fault behind it.", Shape::Word(&["edge"])),
        Field::optional("at once", "Attempts at the same time, at these intents.", NAMES),
        Field::optional("copies", "How many of each.", Shape::Text),
        Field::optional("in turn", "Each is shown while those before it are at work.", Shape::Flag),
        Field::optional(
            "restart",
            "`stop` or `kill`: the subject's process is ended so and started again.",
            Shape::Text,
        ),
        Field::optional("observe", "Read the effects now, under this name.", Shape::Text),
        Field::optional("reconfigure", "Change the configuration of this intent, as its contract says.", Shape::Text),
    ],
);
