//! Reads an effect by a query whose one number is the count, on SQLite (read-only) or PostgreSQL. Key and user are bound,
//! never pasted into the query.

use std::path::Path;

use crate::history::Sight;
use crate::observe::counted;

/// Counts by a query; `database` is `postgres://…` or a path.
pub async fn count(database: &str, query: &str, key: &str, user: &str) -> Sight {
    if database.starts_with("postgres://") || database.starts_with("postgresql://") {
        return postgres(database, query, key, user).await;
    }
    let path = database.strip_prefix("sqlite:").unwrap_or(database).to_owned();
    let (query, key, user) = (query.to_owned(), key.to_owned(), user.to_owned());
    tokio::task::spawn_blocking(move || count_sqlite(Path::new(&path), &query, &key, &user))
        .await
        .unwrap_or_else(|error| Sight::Blind(format!("the query did not end: {error}")))
}

/// Counts in a SQLite file, which is only read.
pub fn count_sqlite(path: &Path, query: &str, key: &str, user: &str) -> Sight {
    let read = || -> rusqlite::Result<i64> {
        let connection = rusqlite::Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(std::time::Duration::from_secs(2))?;
        let query = query.replace("{key}", "?1").replace("{user}", "?2");
        let mut statement = connection.prepare(&query)?;
        let values: Vec<&str> = [key, user].into_iter().take(statement.parameter_count()).collect();
        statement.query_row(rusqlite::params_from_iter(values), |row| row.get(0))
    };
    match read() {
        Ok(count) => rows(count),
        Err(error) => Sight::Blind(format!("{}: {error}", path.display())),
    }
}

fn rows(count: i64) -> Sight {
    match usize::try_from(count) {
        Ok(count) => Sight::Seen(counted(count)),
        Err(_) => Sight::Blind(format!("the query counted {count}")),
    }
}

/// How long a query may take.
#[cfg(feature = "postgres")]
const LONGEST: std::time::Duration = std::time::Duration::from_secs(10);

/// What the database said, where it said something; the error alone only says that it did.
#[cfg(feature = "postgres")]
fn cause(error: &tokio_postgres::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(feature = "postgres")]
async fn postgres(database: &str, query: &str, key: &str, user: &str) -> Sight {
    let read = async {
        let (client, connection) = tokio_postgres::connect(database, tokio_postgres::NoTls).await?;
        let road = tokio::spawn(connection);
        // A `bigint` in every case, and texts whatever the columns are. A parameter that is not used has no type.
        let mut values: Vec<&(dyn tokio_postgres::types::ToSql + Sync)> = Vec::new();
        let mut query = query.to_owned();
        for (name, value) in [("{key}", &key), ("{user}", &user)] {
            if query.contains(name) {
                values.push(value);
                query = query.replace(name, &format!("${}::text", values.len()));
            }
        }
        let statement = client.prepare(&format!("select ({query})::bigint")).await?;
        let count = client.query_one(&statement, &values).await?.try_get::<_, i64>(0)?;
        road.abort();
        Ok::<i64, tokio_postgres::Error>(count)
    };
    match tokio::time::timeout(LONGEST, read).await {
        Ok(Ok(count)) => rows(count),
        Ok(Err(error)) => Sight::Blind(format!("the query failed: {}", cause(&error))),
        Err(_) => Sight::Blind(format!("the query did not end within {} s", LONGEST.as_secs())),
    }
}

#[cfg(not(feature = "postgres"))]
async fn postgres(_database: &str, _query: &str, _key: &str, _user: &str) -> Sight {
    Sight::Blind("this build has no PostgreSQL: build with the feature `postgres`".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_is_so_many_rows_and_a_bad_query_is_blindness() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store.db");
        let connection = rusqlite::Connection::open(&path).expect("a file");
        connection
            .execute_batch("create table d(k text, u text); insert into d values ('a', 'x'), ('a', 'y'), ('b', 'x')")
            .expect("rows");
        let query = "select count(*) from d where k = {key}";
        assert!(matches!(count_sqlite(&path, query, "a", "x"), Sight::Seen(rows) if rows.len() == 2));
        assert!(
            matches!(count_sqlite(&path, "select count(*) from d where u = {user} and k = {key}", "b", "x"), Sight::Seen(rows) if rows.len() == 1)
        );
        assert!(matches!(count_sqlite(&path, "select nothing", "a", "x"), Sight::Blind(_)));
        assert!(matches!(count_sqlite(&folder.path().join("none.db"), query, "a", "x"), Sight::Blind(_)));
        assert!(matches!(count_sqlite(&path, query, "a' or '1'='1", "x"), Sight::Seen(rows) if rows.is_empty()));
    }

    /// Over PostgreSQL, where one is given: `ONCEPROOF_POSTGRES=postgres://…` names an empty database.
    #[cfg(feature = "postgres")]
    #[tokio::test]
    async fn a_count_on_postgresql_binds_what_the_query_names_and_nothing_else() {
        let Ok(url) = std::env::var("ONCEPROOF_POSTGRES") else {
            println!("SKIPPED: ONCEPROOF_POSTGRES names no database, so observers on it are not tested");
            return;
        };
        let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.expect("it is there");
        tokio::spawn(connection);
        let rows = "create table if not exists observed(k varchar(9), u uuid); truncate observed; insert into observed \
                    select 'a', '7f000000-0000-4000-8000-000000000001'::uuid union all select 'a', null";
        client.batch_execute(rows).await.expect("rows");
        let user = "7f000000-0000-4000-8000-000000000001";
        for (query, expected) in [
            ("select count(*) from observed where k = {key}", 2),
            ("select count(*) from observed where u::text = {user}", 1),
            ("select count(*) from observed where u::text = {user} and k = {key} and {key} = 'a'", 1),
            ("select sum(1) from observed where k = {key}", 2),
            ("select count(*) from observed where k = {key} || ' or 1=1'", 0),
        ] {
            let seen = count(&url, query, "a", user).await;
            assert!(matches!(&seen, Sight::Seen(rows) if rows.len() == expected), "{query}: {seen:?}");
        }
        for query in ["select k from observed where k = {key}", "select count(*) from nowhere where k = {key}"] {
            let seen = count(&url, query, "a", user).await;
            assert!(matches!(&seen, Sight::Blind(_)), "{query}: {seen:?}");
        }
        let elsewhere = count("postgres://127.0.0.1:1/none", "select count(*) where '' = {key}", "a", user).await;
        assert!(matches!(&elsewhere, Sight::Blind(_)), "{elsewhere:?}");
    }
}
