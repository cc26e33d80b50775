//! Reads an effect by a query whose one number is the count, on SQLite (read-only) or PostgreSQL. Key and user are bound,
//! never pasted into the query.

use std::path::Path;

use crate::history::Sight;
use crate::json::Json;

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
        Ok(count) => Sight::Seen(vec![Json::object(Vec::<(String, Json)>::new()); count.min(10_000)]),
        Err(_) => Sight::Blind(format!("the query counted {count}")),
    }
}

#[cfg(feature = "postgres")]
async fn postgres(database: &str, query: &str, key: &str, user: &str) -> Sight {
    let read = async {
        let (client, connection) = tokio_postgres::connect(database, tokio_postgres::NoTls).await?;
        let road = tokio::spawn(connection);
        // A `bigint` in every case, and texts whatever the columns are.
        let query = query.replace("{key}", "$1::text").replace("{user}", "$2::text");
        let statement = client.prepare(&format!("select ({query})::bigint")).await?;
        let values: [&(dyn tokio_postgres::types::ToSql + Sync); 2] = [&key, &user];
        let count = client.query_one(&statement, &values[..statement.params().len()]).await?.try_get::<_, i64>(0)?;
        road.abort();
        Ok::<i64, tokio_postgres::Error>(count)
    };
    match read.await {
        Ok(count) => rows(count),
        Err(error) => Sight::Blind(format!("the query failed: {error}")),
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
}
