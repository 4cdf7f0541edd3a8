//! Entities and their tags.
use crate::driver::{in_table, Driver};
use crate::model::{cannot, entity, numbers, put, rejected, Outcome};

async fn read(client: &Driver, table: &str) -> Outcome<Vec<(String, i64)>> {
    Ok(numbers(&client.get(table, "p", "r").await?.0))
}

fn pairs(wanted: &[(&str, i64)]) -> Vec<(String, i64)> {
    wanted.iter().map(|(name, number)| ((*name).to_owned(), *number)).collect()
}

#[tokio::test]
async fn writes() {
    let ab: &[(&str, i32)] = &[("A", 1), ("B", 2)];
    let mut failed = vec![
        in_table("entity.insert", |client, table| async move {
            client.insert(&table, entity("p", "r", &[("A", 1)])).await?;
            let (found, _) = client.get(&table, "p", "r").await?;
            assert_eq!((&found["PartitionKey"], &found["RowKey"], &found["A"]), (&"p".into(), &"r".into(), &1.into()));
            Ok(())
        })
        .await,
        in_table("entity.insert-twice", |client, table| async move {
            client.insert(&table, entity("p", "r", &[])).await?;
            rejected(client.insert(&table, entity("p", "r", &[])).await, 409, "EntityAlreadyExists")
        })
        .await,
        in_table("entity.get-missing", |client, table| async move {
            rejected(client.get(&table, "p", "r").await, 404, "ResourceNotFound")
        })
        .await,
        in_table("entity.get-select", move |client, table| async move {
            client.insert(&table, entity("p", "r", ab)).await?;
            assert_eq!(numbers(&client.get_selected(&table, "p", "r", "A").await?), pairs(&[("A", 1)]));
            Ok(())
        })
        .await,
        in_table("entity.delete", |client, table| async move {
            client.insert(&table, entity("p", "r", &[])).await?;
            client.delete(&table, "p", "r", None).await?;
            rejected(client.get(&table, "p", "r").await, 404, "ResourceNotFound")
        })
        .await,
        in_table("entity.delete-missing", |client, table| async move {
            rejected(client.delete(&table, "p", "r", None).await, 404, "ResourceNotFound")
        })
        .await,
        in_table("entity.timestamp", |client, table| async move {
            client.insert(&table, entity("p", "r", &[])).await?;
            let (found, _) = client.get(&table, "p", "r").await?;
            let text = found["Timestamp"].as_str().unwrap();
            let age = time::OffsetDateTime::now_utc() - azure_core::date::parse_rfc3339(text)?;
            assert!(age.abs() < time::Duration::HOUR);
            Ok(())
        })
        .await,
        in_table("entity.no-properties", |client, table| async move {
            client.insert(&table, entity("p", "r", &[])).await?;
            assert!(read(&client, &table).await?.is_empty());
            Ok(())
        })
        .await,
    ];
    for (id, mode, after) in
        [("entity.replace", "replace", pairs(&[("B", 3)])), ("entity.merge", "merge", pairs(&[("A", 1), ("B", 3)]))]
    {
        let run = in_table(id, move |client, table| async move {
            client.insert(&table, entity("p", "r", ab)).await?;
            client.update(&table, entity("p", "r", &[("B", 3)]), mode, None).await?;
            assert_eq!(read(&client, &table).await?, after);
            Ok(())
        });
        failed.push(run.await);
    }
    for (id, mode) in [("entity.replace-missing", "replace"), ("entity.merge-missing", "merge")] {
        let run = in_table(id, move |client, table| async move {
            rejected(client.update(&table, entity("p", "r", &[]), mode, None).await, 404, "ResourceNotFound")
        });
        failed.push(run.await);
    }
    for (id, mode, before, after) in [
        ("entity.upsert-replace-new", "replace", false, pairs(&[("B", 3)])),
        ("entity.upsert-replace-old", "replace", true, pairs(&[("B", 3)])),
        ("entity.upsert-merge-new", "merge", false, pairs(&[("B", 3)])),
        ("entity.upsert-merge-old", "merge", true, pairs(&[("A", 1), ("B", 3)])),
    ] {
        let run = in_table(id, move |client, table| async move {
            if before {
                client.insert(&table, entity("p", "r", &[("A", 1)])).await?;
            }
            client.upsert(&table, entity("p", "r", &[("B", 3)]), mode).await?;
            assert_eq!(read(&client, &table).await?, after);
            Ok(())
        });
        failed.push(run.await);
    }
    assert!(!failed.contains(&true));
}

#[tokio::test]
async fn limits() {
    let many = |count: usize| {
        (0..count).fold(entity("p", "r", &[]), |mut one, at| {
            put(&mut one, &format!("P{at:03}"), "Int32", &at.to_string());
            one
        })
    };
    let texts = |count: usize, length: usize| {
        (0..count).fold(entity("p", "r", &[]), |mut one, at| {
            put(&mut one, &format!("P{at}"), "String", &"x".repeat(length));
            one
        })
    };
    let stored = in_table("entity.many-properties", move |client, table| async move {
        client.insert(&table, many(252)).await?;
        assert_eq!(read(&client, &table).await?.len(), 252);
        Ok(())
    });
    let mut failed = vec![stored.await];
    for (id, one, code) in [
        ("entity.too-many-properties", many(253), "TooManyProperties"),
        ("entity.too-large", texts(17, 32000), "EntityTooLarge"),
        ("entity.large-property", texts(1, 32769), "PropertyValueTooLarge"),
        ("entity.property-name", entity("p", "r", &[("a-b", 1)]), "PropertyNameInvalid"),
        ("entity.long-key", entity(&"p".repeat(513), "r", &[]), ""),
    ] {
        let run =
            in_table(id, move |client, table| async move { rejected(client.insert(&table, one).await, 400, code) });
        failed.push(run.await);
    }
    assert!(!failed.contains(&true));
}

#[tokio::test]
async fn tags() {
    let mut failed = vec![
        in_table("tag.insert", |client, table| async move {
            let tag = client.insert(&table, entity("p", "r", &[])).await?;
            assert_eq!(tag, client.get(&table, "p", "r").await?.1);
            Ok(())
        })
        .await,
        in_table("tag.changes", |client, table| async move {
            let one = || entity("p", "r", &[("A", 1)]);
            let mut tags = vec![client.insert(&table, one()).await?];
            tags.push(client.update(&table, one(), "replace", None).await?);
            tags.push(client.update(&table, one(), "merge", None).await?);
            tags.push(client.upsert(&table, one(), "replace").await?);
            assert_eq!(client.get(&table, "p", "r").await?.1, tags[3]);
            tags.sort();
            tags.dedup();
            assert_eq!(tags.len(), 4);
            Ok(())
        })
        .await,
        in_table("tag.delete", |client, table| async move {
            let tag = client.insert(&table, entity("p", "r", &[])).await?;
            client.delete(&table, "p", "r", Some(&tag)).await
        })
        .await,
        in_table("tag.stale-delete", |client, table| async move {
            let old = client.insert(&table, entity("p", "r", &[])).await?;
            client.update(&table, entity("p", "r", &[("A", 2)]), "replace", None).await?;
            rejected(client.delete(&table, "p", "r", Some(&old)).await, 412, "UpdateConditionNotSatisfied")
        })
        .await,
    ];
    for (current, stale, mode) in
        [("tag.replace", "tag.stale-replace", "replace"), ("tag.merge", "tag.stale-merge", "merge")]
    {
        let run = in_table(current, move |client, table| async move {
            let tag = client.insert(&table, entity("p", "r", &[("A", 1)])).await?;
            client.update(&table, entity("p", "r", &[("A", 2)]), mode, Some(&tag)).await?;
            assert_eq!(read(&client, &table).await?, pairs(&[("A", 2)]));
            Ok(())
        });
        failed.push(run.await);
        let run = in_table(stale, move |client, table| async move {
            let old = client.insert(&table, entity("p", "r", &[("A", 1)])).await?;
            client.update(&table, entity("p", "r", &[("A", 2)]), "replace", None).await?;
            let late = client.update(&table, entity("p", "r", &[("A", 3)]), mode, Some(&old)).await;
            rejected(late, 412, "UpdateConditionNotSatisfied")
        });
        failed.push(run.await);
    }
    assert!(!failed.contains(&true));
}

#[tokio::test]
async fn policies_and_service_properties() {
    cannot(&["policy.write", "policy.replace", "policy.partial", "policy.none"], "the client has no stored policies")
        .await;
    cannot(
        &["service.properties", "service.retention", "service.cors-many", "service.statistics"],
        "the client has no service properties and no statistics",
    )
    .await;
}
