//! Hooks that do something to the subject besides its requests: before an attempt, and undone after it. What they change is
//! changed for everybody, so their cases are played alone.

use std::net::SocketAddr;
use std::time::Duration;

use crate::observe::ShellCommand;
use crate::plan::{Case, PlannedIntent};
use crate::runner::target::Target;
use crate::subject::{Deed, Hook};

/// How long a command or a call may take.
const LONGEST: Duration = Duration::from_secs(10);

/// Whether a case changes the subject for everybody, so that nothing else may be played beside it.
pub fn is_alone(case: &Case, target: &Target) -> bool {
    case.intents.values().any(|intent| shared(intent, target).is_some())
}

/// The hook of an intent, if it does something besides its headers.
pub fn shared<'t>(intent: &PlannedIntent, target: &'t Target) -> Option<(&'t str, &'t Hook)> {
    let (name, hook) = target.hooks.get_key_value(intent.hook.as_ref()?)?;
    hook.is_shared().then_some((name.as_str(), hook))
}

/// Does what is done before an attempt. The error says which hook failed, and how.
pub async fn arm(name: &str, hook: &Hook, target: &Target, origin: SocketAddr) -> Result<(), String> {
    let Some(deed) = &hook.before else { return Ok(()) };
    let failed = |why: String| format!("the hook `{name}` {}", target.told(&why));
    done(deed, name, hook, target, origin).await.map_err(failed)
}

/// Does what is done after it. A subject whose hook could not be undone is not what it was, and is marked so.
pub async fn disarm(name: &str, hook: &Hook, target: &Target, origin: SocketAddr) -> Result<(), String> {
    let Some(deed) = &hook.undo else { return Ok(()) };
    done(deed, name, hook, target, origin).await.map_err(|why| {
        let why = format!("the hook `{name}` could not be undone: its undoing {}", target.told(&why));
        // The first one is the cause of all others.
        let _ = target.spoilt.set(why.clone());
        why
    })
}

async fn done(deed: &Deed, name: &str, hook: &Hook, target: &Target, origin: SocketAddr) -> Result<(), String> {
    let limit = hook.within.unwrap_or(LONGEST);
    match deed {
        Deed::Command(line) => {
            let variables = vec![
                ("ONCEPROOF_HOOK".to_owned(), name.to_owned()),
                ("ONCEPROOF_URL".to_owned(), format!("http://{origin}")),
            ];
            let (line, folder) = (line.clone(), target.folder.clone());
            ShellCommand { line, folder, variables, limit: Some(limit) }.run().await.map(|_| ())
        }
        Deed::Call { request, headers, body } => {
            let client = crate::observe::client(limit).map_err(|error| format!("cannot be called: {error}"))?;
            let method = request.method.parse().map_err(|_| format!("has no method `{}`", request.method))?;
            let mut call = client.request(method, format!("http://{origin}{}", request.target));
            call = call.header("host", &target.abilities.host);
            if let Some(body) = body {
                call = call.header("content-type", "application/json").body(body.to_string());
            }
            for (name, value) in headers {
                call = call.header(name, value);
            }
            let line = format!("{} {}", request.method, request.target);
            match call.send().await {
                Ok(answer) if answer.status().is_success() => Ok(()),
                Ok(answer) => Err(format!("was answered {} at {line}", answer.status().as_u16())),
                Err(error) if error.is_timeout() => {
                    Err(format!("was not answered within {:.1} s at {line}", limit.as_secs_f64()))
                }
                Err(error) => {
                    let cause = std::error::Error::source(&error).map(ToString::to_string);
                    Err(format!("was not answered at {line}: {}", cause.unwrap_or_else(|| error.to_string())))
                }
            }
        }
    }
}
