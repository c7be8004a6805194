//! A client by hand: tokio-postgres with prepared statements on a table of keys and values.

use super::{Failure, OF_USER, ROWS, typed::done};
use futures_util::{TryStreamExt as _, future, pin_mut};
use std::hint::black_box;
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::{Client, NoTls, Statement, types::ToSql};

/// A connection with its statements. The runtime runs in the calling thread.
pub(crate) struct Raw {
    runtime: Runtime,
    client: Client,
    get: Statement,
    get_many: Statement,
    scan: [Statement; 2],
    put: Statement,
}

/// Encodes the key of a row.
fn key(row: u64) -> Vec<u8> {
    [&b"o/"[..], &(row / OF_USER).to_be_bytes(), &(row % OF_USER).to_be_bytes()].concat()
}

impl Raw {
    pub(crate) fn new(url: &str) -> Result<Raw, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (client, connection) = runtime.block_on(tokio_postgres::connect(url, NoTls))?;
        runtime.spawn(connection);
        let prepare = |sql: &str| runtime.block_on(client.prepare(sql));
        runtime.block_on(client.batch_execute(
            "set jit = off; set plan_cache_mode = force_generic_plan; set enable_seqscan = off; \
             set enable_bitmapscan = off; set enable_sort = off; \
             create table raw (key bytea primary key, value bytea not null)",
        ))?;
        let scan = |order: &str| {
            prepare(&format!(
                "select key, value from raw where key >= $1 and key < $2 order by key {order}"
            ))
        };
        Ok(Raw {
            get: prepare("select value from raw where key = $1")?,
            get_many: prepare("select key, value from raw where key = any($1)")?,
            scan: [scan("asc")?, scan("desc")?],
            put: prepare(
                "insert into raw select * from unnest($1::bytea[], $2::bytea[]) \
                 on conflict (key) do update set value = excluded.value",
            )?,
            client,
            runtime,
        })
    }

    pub(crate) fn fill(&self) -> Result<(), Failure> {
        let keys: Vec<_> = (0..ROWS).map(key).collect();
        let values: Vec<_> = (0..ROWS).map(|row| row.to_be_bytes().to_vec()).collect();
        self.runtime.block_on(self.client.execute(&self.put, &[&keys, &values]))?;
        Ok(())
    }

    /// Begins a snapshot before the first read. It ends the snapshot of the previous work.
    fn in_snapshot(&self, mut read: impl FnMut(u64)) -> impl FnMut(u64) {
        let mut is_open = false;
        move |number| {
            if !std::mem::replace(&mut is_open, true) {
                let begin = "rollback; begin isolation level repeatable read read only";
                done(self.runtime.block_on(self.client.batch_execute(begin)));
            }
            read(number);
        }
    }

    pub(crate) fn get(&self) -> impl FnMut(u64) {
        self.in_snapshot(|number| {
            let row = number * 7_919 % ROWS;
            let found = done(self.runtime.block_on(self.client.query_one(&self.get, &[&key(row)])));
            assert_eq!(found.get::<_, &[u8]>(0), row.to_be_bytes());
        })
    }

    pub(crate) fn read_many(&self) -> impl FnMut(u64) {
        self.in_snapshot(|number| {
            let keys: Vec<_> = (0..100).map(|at| key((number + at) * 7_919 % ROWS)).collect();
            let found = done(self.runtime.block_on(self.client.query(&self.get_many, &[&keys])));
            let values = found.iter().map(|row| {
                (row.get::<_, &[u8]>(0), row.get::<_, &[u8]>(1).try_into().map(u64::from_be_bytes))
            });
            assert_eq!(black_box(values).count(), 100);
        })
    }

    pub(crate) fn scan(&self, is_backward: bool) -> impl FnMut(u64) {
        self.in_snapshot(move |number| {
            let user = number % (ROWS / OF_USER);
            let (low, high) = (key(user * OF_USER), key((user + 1) * OF_USER));
            let statement = &self.scan[usize::from(is_backward)];
            let count = self.runtime.block_on(async {
                let rows = self.client.query_raw(statement, [&low, &high]).await?;
                pin_mut!(rows);
                let mut count = 0;
                while let Some(row) = rows.try_next().await? {
                    let (key, value): (&[u8], &[u8]) = (row.get(0), row.get(1));
                    let _ = black_box((key, value.try_into().map(u64::from_be_bytes)));
                    count += 1;
                }
                Ok::<_, tokio_postgres::Error>(count)
            });
            assert_eq!(done(count), OF_USER);
        })
    }

    /// Writes rows in one serializable transaction: one round trip to begin, and one for the
    /// statement and the commit.
    pub(crate) fn commit(&self, number: u64, rows: u64) {
        let rows = (0..rows).map(|row| (number * rows + row) * 7_919 % ROWS);
        let (keys, values): (Vec<_>, Vec<_>) =
            rows.map(|row| (key(row), row.to_be_bytes().to_vec())).unzip();
        done(self.runtime.block_on(async {
            self.client.batch_execute("rollback; begin isolation level serializable").await?;
            let parameters: [&(dyn ToSql + Sync); 2] = [&keys, &values];
            let put = self.client.execute(&self.put, &parameters);
            let commit = self.client.batch_execute("commit");
            future::try_join(put, commit).await
        }));
    }
}
