//! `onceproof call`: the reference client as a program, asked as every client under test is asked. It shows the form that
//! a wrapper has to have, and lets the road be tried without any other client.

use std::io::{BufRead, Write};

use crate::cli::client::client_policy;
use crate::cli::subject::from_environment;
use crate::cli::{Failure, Library, Wanted, runtime};
use crate::history::Told;
use crate::json::Json;
use crate::reference::{ClientAsk, ClientMemory, perform};

/// Arguments of `call`.
#[derive(clap::Args, Debug)]
pub struct Call {
    #[command(flatten)]
    wanted: Wanted,
    /// Which kind of client it is; the contract's first, unless said.
    #[arg(long = "as", value_name = "KIND")]
    kind: Option<String>,
    /// Be a saboteur; `selftest` lists them.
    #[arg(long, value_name = "NAME")]
    sabotage: Option<String>,
    /// Stay up, and take one JSON line for each intent.
    #[arg(long)]
    stays_up: bool,
}

/// One intent, as the variables or a line say it.
struct Asked {
    url: String,
    operation: String,
    input: Json,
    key: Option<Json>,
    unkeyed: bool,
    credential: Option<String>,
    scale: f64,
}

impl Call {
    /// Does what it is asked for.
    pub fn go(self) -> Result<u8, Failure> {
        let library = Library::load(&self.wanted, &Library::default_contract()).map_err(Failure::input)?;
        let policy = client_policy(self.sabotage.as_deref())?;
        let Some(rules) = library.contract.client(self.kind.as_deref()) else {
            return Err(Failure::Input(format!("{} has no rules for such a client", library.contract.name)));
        };
        let runtime = runtime()?;
        let memory = ClientMemory::default();
        let do_one = |asked: Asked| -> Told {
            let ask = ClientAsk {
                base: asked.url.trim_end_matches('/').to_owned(),
                operation: asked.operation.as_str().into(),
                input: asked.input,
                key: asked.key,
                unkeyed: asked.unkeyed,
                headers: credential_headers(&library, asked.credential.as_deref()),
                scale: asked.scale,
                bits: crate::cli::run::fresh_seed() ^ (u64::from(std::process::id()) << 32),
                memory: memory.clone(),
            };
            runtime.block_on(perform(&library.contract, rules, policy, ask))
        };
        if self.stays_up {
            for line in std::io::stdin().lock().lines() {
                let line = line.map_err(Failure::set_up)?;
                let told = of_line(&line).map(do_one).unwrap_or(Told::Failure);
                tell(told);
            }
            return Ok(0);
        }
        let asked = of_variables().ok_or_else(|| {
            Failure::Input("ONCEPROOF_URL, ONCEPROOF_OPERATION and ONCEPROOF_INPUT are not set".to_owned())
        })?;
        let told = do_one(asked);
        tell(told);
        Ok(u8::try_from(told.status()).unwrap_or(1))
    }
}

fn tell(told: Told) {
    let mut out = std::io::stdout().lock();
    // Whoever asked may have gone.
    let _ = writeln!(out, "{{\"outcome\":\"{}\"}}", told.word()).and_then(|()| out.flush());
}

fn of_variables() -> Option<Asked> {
    Some(Asked {
        url: from_environment("ONCEPROOF_URL")?,
        operation: from_environment("ONCEPROOF_OPERATION")?,
        input: Json::parse(from_environment("ONCEPROOF_INPUT")?.as_bytes()).ok()?,
        key: from_environment("ONCEPROOF_KEY").map(Json::from),
        unkeyed: from_environment("ONCEPROOF_UNKEYED").is_some_and(|text| text == "1"),
        credential: from_environment("ONCEPROOF_CREDENTIAL"),
        scale: from_environment("ONCEPROOF_TIME_SCALE").and_then(|text| text.parse().ok()).unwrap_or(1.0),
    })
}

fn of_line(line: &str) -> Option<Asked> {
    let json = Json::parse(line.as_bytes()).ok()?;
    let text = |name: &str| json.get(name).and_then(Json::as_str).map(str::to_owned);
    Some(Asked {
        url: text("url")?,
        operation: text("operation")?,
        input: json.get("input")?.clone(),
        key: json.get("key").filter(|key| !key.is_null()).cloned(),
        unkeyed: json.get("unkeyed").and_then(Json::as_bool).unwrap_or(false),
        credential: text("credential"),
        scale: json.get("time_scale").and_then(Json::as_f64).unwrap_or(1.0),
    })
}

/// The headers of the reference's credential with this secret.
fn credential_headers(library: &Library, secret: Option<&str>) -> Vec<(String, String)> {
    let known = library.contract.reference.iter().flat_map(|reference| reference.credentials.values());
    let mut own = known
        .filter(|known| known.headers.iter().any(|(_, value)| secret.is_some_and(|secret| value.ends_with(secret))));
    own.next().map(|known| known.headers.clone()).unwrap_or_default()
}
