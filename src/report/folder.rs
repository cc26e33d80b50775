//! Where the files of a run lie: `reports/<subject>/<run>/`, and `latest` beside them, which points to the last one. It
//! writes verdicts.json, junit.xml and report.md; whose file history.ndjson is knows only its place.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::event::{Event, Listener, Stories, keep_story};
use crate::judge::RunReport;
use crate::report::json::{VerdictsError, render_json};
use crate::report::junit::render_junit;
use crate::report::markdown::render_markdown;

/// The link to the last run.
const LATEST: &str = "latest";

/// A longer name of a subject is cut.
const LONGEST_NAME: usize = 100;

/// The folder of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
}

/// Why the files of a run could not be written.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The run has a name that no folder can have.
    #[error("`{0}` cannot name a run: use one folder name, not `latest`, not hidden, without `/`")]
    Name(String),
    /// A file or folder could not be made.
    #[error("cannot write {path}: {source}; is the folder writable, and is there room?", path = .path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The verdicts could not be put into their file's format.
    #[error(transparent)]
    Verdicts(#[from] VerdictsError),
    /// The tests could not be put into XML.
    #[error("the report cannot be written as JUnit XML: {0}")]
    Junit(#[from] quick_junit::SerializeError),
}

impl Folder {
    /// Makes the folder of a run under `reports`. `run` names it and sorts it among its siblings.
    pub fn create(reports: &Path, subject: &str, run: &str) -> Result<Self, FolderError> {
        if run.is_empty() || run == LATEST || run.starts_with('.') || run.contains(['/', '\0']) {
            return Err(FolderError::Name(run.to_owned()));
        }
        let path = reports.join(folder_name(subject)).join(run);
        fs::create_dir_all(&path).map_err(at(&path))?;
        Ok(Self { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where the history belongs; somebody else writes it.
    pub fn history(&self) -> PathBuf {
        self.path.join("history.ndjson")
    }

    /// Writes the files, then moves `latest` here. A reader never finds half a file, nor a `latest` without its files.
    pub fn write(&self, report: &RunReport, stories: &Stories) -> Result<(), FolderError> {
        self.file("verdicts.json", &render_json(report)?)?;
        self.file("junit.xml", &render_junit(report, stories)?)?;
        self.file("report.md", &render_markdown(report, stories))?;
        self.move_latest()
    }

    fn file(&self, name: &str, text: &str) -> Result<(), FolderError> {
        let (part, whole) = (self.path.join(format!(".{name}.part")), self.path.join(name));
        fs::write(&part, text).map_err(at(&part))?;
        fs::rename(&part, &whole).map_err(at(&whole))
    }

    fn move_latest(&self) -> Result<(), FolderError> {
        let (Some(siblings), Some(run)) = (self.path.parent(), self.path.file_name()) else {
            return Err(FolderError::Name(self.path.display().to_string()));
        };
        // Made under a name of its own and renamed over the old one, so that `latest` is there at every moment.
        let (fresh, latest) = (siblings.join(format!(".{LATEST}.{}", run.display())), siblings.join(LATEST));
        match fs::remove_file(&fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(at(&fresh)(error)),
            Ok(()) | Err(_) => {}
        }
        symlink(run, &fresh).map_err(at(&fresh))?;
        fs::rename(&fresh, &latest).map_err(|error| {
            // The error that is told is the first one; what is left behind is one hidden link.
            let _ = fs::remove_file(&fresh);
            at(&latest)(error)
        })
    }
}

fn at(path: &Path) -> impl Fn(io::Error) -> FolderError {
    move |source| FolderError::Io { path: path.to_owned(), source }
}

/// A subject's name as a folder: only `a-z`, `0-9`, `.` and `-`, never hidden, never `latest`'s rival, never empty.
fn folder_name(subject: &str) -> String {
    let mut name = String::new();
    for c in subject.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' | '.' => name.push(c),
            _ if name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    name.truncate(LONGEST_NAME);
    match name.trim_matches(['-', '.']) {
        "" => "subject".to_owned(),
        trimmed => trimmed.to_owned(),
    }
}

/// The listener that writes the files when the run has ended.
pub struct RunFiles {
    folder: Folder,
    stories: Stories,
}

impl RunFiles {
    /// For a folder that is there.
    pub fn new(folder: Folder) -> Self {
        Self { folder, stories: Stories::new() }
    }
}

impl Listener for RunFiles {
    fn hear(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::CaseFinished(case) => keep_story(&mut self.stories, case),
            Event::RunEnded(report) => self.folder.write(report, &self.stories).map_err(io::Error::other)?,
            Event::RunStarted { .. } | Event::Preflight(_) | Event::Note(_) => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::{run, stories};
    use crate::report::json::read_json;

    #[test]
    fn a_run_has_its_files_and_latest_points_to_the_last_one() {
        let reports = tempfile::tempdir().unwrap();
        for name in ["0001", "0002"] {
            let folder = Folder::create(reports.path(), "http://127.0.0.1:8080/", name).unwrap();
            folder.write(&run(), &stories()).unwrap();
            folder.write(&run(), &stories()).unwrap();
            let latest = reports.path().join("http-127.0.0.1-8080/latest");
            assert_eq!(fs::read_link(&latest).unwrap(), Path::new(name));
            assert_eq!(read_json(&fs::read_to_string(latest.join("verdicts.json")).unwrap()).unwrap(), run());
            let mut names: Vec<_> =
                fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            assert_eq!(names, ["junit.xml", "report.md", "verdicts.json"]);
            assert_eq!(folder.history(), folder.path().join("history.ndjson"));
        }
    }

    #[test]
    fn a_folder_that_is_called_latest_is_not_replaced() {
        let reports = tempfile::tempdir().unwrap();
        let latest = reports.path().join("s/latest");
        fs::create_dir_all(&latest).unwrap();
        let folder = Folder::create(reports.path(), "s", "1").unwrap();
        let error = folder.write(&run(), &stories()).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot write {}", latest.display())), "{error}");
        assert!(latest.is_dir());
        assert!(fs::symlink_metadata(reports.path().join("s/.latest.1")).is_err());
    }

    #[test]
    fn names_stay_inside_the_reports() {
        for (subject, name) in [
            ("Curious API (staging)", "curious-api-staging"),
            ("../../etc", "etc"),
            ("..", "subject"),
            ("決定", "subject"),
            ("", "subject"),
            ("a_b", "a-b"),
        ] {
            assert_eq!(folder_name(subject), name);
        }
        assert_eq!(folder_name(&"x".repeat(300)).len(), LONGEST_NAME);
        let reports = tempfile::tempdir().unwrap();
        for run in ["", ".", "..", "a/b", "latest", ".hidden"] {
            assert!(matches!(Folder::create(reports.path(), "s", run), Err(FolderError::Name(_))), "{run}");
        }
    }
}
