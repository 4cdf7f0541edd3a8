//! Transactions.
use crate::driver::{client, in_table, Operation};
use crate::model::{cannot, check, entity, expand, new_name, numbers, put, rejected, same, CASES, NO_INDEX};

fn inserts(count: usize, partition: &str) -> Vec<Operation> {
    (0..count).map(|at| ("insert", entity(partition, &format!("{at:03}"), &[("A", at as i32)]), None)).collect()
}

#[tokio::test]
async fn stored() {
    let failed = [
        in_table("batch.hundred", |client, table| async move {
            client.transaction(&table, inserts(100, "p")).await?;
            assert_eq!(client.list(&table, None).await?.len(), 100);
            Ok(())
        })
        .await,
        in_table("batch.mixed", |client, table| async move {
            for row in ["merge", "replace", "delete"] {
                client.insert(&table, entity("p", row, &[("A", 1)])).await?;
            }
            let kinds = ["insert", "merge", "replace", "upsert-merge", "upsert-replace", "delete"];
            let operations = kinds.map(|kind| (kind, entity("p", kind, &[("B", 2)]), None));
            client.transaction(&table, operations.to_vec()).await?;
            let found = client.list(&table, None).await?;
            let counts = found.iter().map(|one| (one["RowKey"].as_str().unwrap(), numbers(one).len()));
            let wanted = [("insert", 1), ("merge", 2), ("replace", 1), ("upsert-merge", 1), ("upsert-replace", 1)];
            assert_eq!(counts.collect::<Vec<_>>(), wanted);
            Ok(())
        })
        .await,
        in_table("batch.results", |client, table| async move {
            let tags = client.transaction(&table, inserts(3, "p")).await?;
            let found = client.list(&table, None).await?;
            let wanted: Vec<_> = found.iter().map(|one| one["odata.etag"].as_str().map(str::to_owned)).collect();
            assert_eq!(tags, wanted);
            Ok(())
        })
        .await,
        in_table("batch.types", |client, table| async move {
            let cases = CASES["values"].as_object().unwrap().iter().filter(|(id, _)| !id.contains("long"));
            let cases: Vec<_> = cases.map(|(id, case)| (id, case[0].as_str().unwrap(), expand(&case[1]))).collect();
            let operations = cases.iter().map(|(id, kind, text)| {
                let mut one = entity("p", id, &[]);
                put(&mut one, "V", kind, text);
                ("insert", one, None)
            });
            client.transaction(&table, operations.collect()).await?;
            for (id, kind, text) in &cases {
                let (found, _) = client.get(&table, "p", id).await?;
                assert!(same(&found, "V", kind, text), "{id}");
            }
            Ok(())
        })
        .await,
    ];
    assert!(!failed.contains(&true));
}

#[tokio::test]
async fn keys() {
    for (id, key) in [("batch.quote", "it's"), ("batch.unicode", "naïve 你好 😀")] {
        let failed = in_table(id, move |client, table| async move {
            let other = format!("{key}2");
            let both = [key, &other].map(|row| ("insert", entity(key, row, &[("A", 1)]), None));
            client.transaction(&table, both.to_vec()).await?;
            let changes =
                vec![("merge", entity(key, key, &[("B", 2)]), None), ("delete", entity(key, &other, &[]), None)];
            client.transaction(&table, changes).await?;
            let found = client.list(&table, None).await?;
            assert_eq!((found.len(), numbers(&found[0]).len()), (1, 2));
            Ok(())
        });
        assert!(!failed.await);
    }
}

#[tokio::test]
async fn rejections() {
    let failed = [
        in_table("batch.atomic", |client, table| async move {
            let mut operations = inserts(2, "p");
            operations.push(("replace", entity("p", "missing", &[]), None));
            rejected(client.transaction(&table, operations).await, 404, "")?;
            assert!(client.list(&table, None).await?.is_empty());
            Ok(())
        })
        .await,
        in_table("batch.duplicate", |client, table| async move {
            let twice = vec![("upsert-merge", entity("p", "r", &[]), None); 2];
            rejected(client.transaction(&table, twice).await, 400, "InvalidDuplicateRow")
        })
        .await,
        in_table("batch.too-many", |client, table| async move {
            rejected(client.transaction(&table, inserts(101, "p")).await, 400, "")
        })
        .await,
        in_table("batch.partitions", |client, table| async move {
            let both = [inserts(1, "p"), inserts(1, "q")].concat();
            rejected(client.transaction(&table, both).await, 400, "")
        })
        .await,
        in_table("batch.after-failure", |client, table| async move {
            client.insert(&table, entity("p", "000", &[])).await?;
            rejected(client.transaction(&table, inserts(100, "p")).await, 409, "")?;
            client.insert(&table, entity("p", "after", &[])).await?;
            assert_eq!(client.list(&table, None).await?.len(), 2);
            Ok(())
        })
        .await,
        check("batch.missing-table", async {
            rejected(client().transaction(&new_name(), inserts(2, "p")).await, 404, "TableNotFound")
        })
        .await,
    ];
    cannot(&["batch.index", "batch.index-last", "batch.stale"], NO_INDEX).await;
    assert!(!failed.contains(&true));
}
