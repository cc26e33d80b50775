//! What the command line of a bench asks for, beside what criterion makes of it. It refuses nothing.

/// What a bench is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// `cargo bench`: figures.
    Figures,
    /// `cargo bench -- --test`, `cargo test --benches`: a sign that the bench works, as soon as can be.
    Sign,
    /// `--list`: nothing is run.
    List,
}

impl Asked {
    /// As this process was started.
    pub fn of_process() -> Self {
        let given = |word: &str| std::env::args().any(|argument| argument == word);
        match (given("--list"), given("--bench") && !given("--test")) {
            (true, _) => Asked::List,
            (false, true) => Asked::Figures,
            (false, false) => Asked::Sign,
        }
    }
}
