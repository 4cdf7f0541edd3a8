//! Values, keys, filters and pages.
use crate::driver::{client, Driver, Query};
use crate::model::{check, entity, expand, names, new_name, numbers, put, rejected, same, Entity, Outcome, CASES};

async fn with_table(client: &Driver) -> Outcome<String> {
    let table = new_name();
    client.create_table(&table).await?;
    Ok(table)
}

#[tokio::test]
async fn values() {
    let mut failed = false;
    for (id, case) in CASES["values"].as_object().unwrap() {
        let (kind, text) = (case[0].as_str().unwrap(), expand(&case[1]));
        failed |= check(id, async move {
            let client = client();
            let table = with_table(&client).await?;
            let mut one = entity("p", "r", &[]);
            put(&mut one, "V", kind, &text);
            client.insert(&table, one).await?;
            let (found, _) = client.get(&table, "p", "r").await?;
            assert!(same(&found, "V", kind, &text), "{:?} {:?}", found["V"], found.get("V@odata.type"));
            let listed = client.list(&table, None).await?;
            assert!(same(&listed[0], "V", kind, &text));
            client.delete_table(&table).await
        })
        .await;
    }
    assert!(!failed);
}

#[tokio::test]
async fn keys() {
    let mut failed = false;
    for (id, text) in CASES["keys"].as_object().unwrap() {
        let key = expand(text);
        failed |= check(id, async move {
            let client = client();
            let table = with_table(&client).await?;
            client.insert(&table, entity(&key, &key, &[("A", 1)])).await?;
            let (found, _) = client.get(&table, &key, &key).await?;
            assert_eq!((&found["PartitionKey"], &found["RowKey"]), (&key.as_str().into(), &key.as_str().into()));
            client.update(&table, entity(&key, &key, &[("B", 2)]), "merge", None).await?;
            let quoted = key.replace('\'', "''");
            let filter = format!("PartitionKey eq '{quoted}' and RowKey eq '{quoted}'");
            let found = client.list(&table, Some(&filter)).await?;
            assert_eq!(numbers(&found[0]), [("A".to_owned(), 1), ("B".to_owned(), 2)]);
            client.delete(&table, &key, &key, None).await?;
            assert!(client.list(&table, None).await?.is_empty());
            client.delete_table(&table).await
        })
        .await;
    }
    assert!(!failed);
}

/// Makes a table with the rows of cases.json.
async fn with_rows(client: &Driver) -> Outcome<String> {
    const COLUMNS: [&str; 8] = ["Text", "Flag", "Int", "Big", "Real", "When", "Id", "Bytes"];
    let table = with_table(client).await?;
    for row in CASES["rows"].as_array().unwrap() {
        let text = |at: usize| row[at].as_str().unwrap();
        let mut one = entity(text(0), text(1), &[]);
        for (at, column) in COLUMNS.iter().enumerate() {
            put(&mut one, column, CASES["columns"][column].as_str().unwrap(), text(at + 2));
        }
        client.insert(&table, one).await?;
    }
    Ok(table)
}

#[tokio::test]
async fn filters() {
    let client = client();
    let table = with_rows(&client).await.expect("the rows");
    let mut failed = false;
    for (id, case) in CASES["filters"].as_object().unwrap() {
        let (one, table) = (client.clone(), table.clone());
        let (filter, wanted) = (case[0].as_str().unwrap(), case[1].as_str().unwrap());
        failed |= check(id, async move {
            let found = one.list(&table, Some(filter).filter(|filter| !filter.is_empty())).await?;
            assert_eq!(names(&found), wanted);
            Ok(())
        })
        .await;
    }
    let (one, name) = (client.clone(), table.clone());
    failed |=
        check("filter.invalid", async move { rejected(one.list(&name, Some("Int eq")).await, 400, "InvalidInput") })
            .await;
    let (one, name) = (client.clone(), table.clone());
    failed |= check("filter.select", async move {
        let filter = Some("PartitionKey eq 'a' and RowKey eq '1'".to_owned());
        let (pages, _) = one.pages(&name, Query { filter, select: Some("Int"), ..Query::default() }, 1).await?;
        let found: Vec<_> = pages[0][0].iter().filter(|(name, _)| !name.contains("odata")).collect();
        assert_eq!(found, [(&"Int".to_owned(), &(-5).into())]);
        Ok(())
    })
    .await;
    assert!(!failed);
}

fn rows(page: &[Entity]) -> Vec<String> {
    page.iter().map(|one| one["RowKey"].as_str().unwrap().to_owned()).collect()
}

fn sizes(pages: &[Vec<Entity>]) -> Vec<usize> {
    pages.iter().map(Vec::len).collect()
}

#[tokio::test]
async fn pages() {
    let client = client();
    let table = with_table(&client).await.expect("a table");
    for start in (0..2050).step_by(100) {
        let batch =
            (start..2050.min(start + 100)).map(|at| ("insert", entity("p", &format!("{at:05}"), &[("N", at)]), None));
        client.transaction(&table, batch.collect()).await.expect("many entities");
    }
    let mut failed = false;
    let (one, name) = (client.clone(), table.clone());
    failed |= check("page.default", async move {
        assert_eq!(sizes(&one.pages(&name, Query::default(), usize::MAX).await?.0), [1000, 1000, 50]);
        Ok(())
    })
    .await;
    let (one, name) = (client.clone(), table.clone());
    failed |= check("page.all", async move {
        let wanted: Vec<_> = (0..2050).map(|at| format!("{at:05}")).collect();
        assert_eq!(rows(&one.list(&name, None).await?), wanted);
        Ok(())
    })
    .await;
    let (one, name) = (client.clone(), table.clone());
    failed |= check("page.size", async move {
        let query = Query { size: Some(700), ..Query::default() };
        assert_eq!(sizes(&one.pages(&name, query, usize::MAX).await?.0), [700, 700, 650]);
        Ok(())
    })
    .await;
    let (one, name) = (client.clone(), table.clone());
    failed |= check("page.resume", async move {
        let (_, token) = one.pages(&name, Query { size: Some(300), ..Query::default() }, 1).await?;
        assert!(token.is_some());
        let query = Query { size: Some(2), token, ..Query::default() };
        let (pages, _) = crate::driver::client().pages(&name, query, 1).await?;
        assert_eq!(rows(&pages[0]), ["00300", "00301"]);
        Ok(())
    })
    .await;
    let (one, name) = (client.clone(), table.clone());
    failed |= check("page.filter", async move {
        assert_eq!(rows(&one.list(&name, Some("N eq 3 or N eq 2049")).await?), ["00003", "02049"]);
        Ok(())
    })
    .await;
    let (one, name) = (client.clone(), table.clone());
    failed |= check("page.cancel", async move {
        for _ in 0..3 {
            // The stream is dropped with pages left.
            let (pages, token) = one.pages(&name, Query::default(), 1).await?;
            assert!(token.is_some() && rows(&pages[0])[0] == "00000");
        }
        one.get(&name, "p", "00007").await?;
        Ok(())
    })
    .await;
    let (one, name) = (client.clone(), table.clone());
    failed |= check("page.empty", async move {
        assert!(one.list(&name, Some("N eq -1")).await?.is_empty());
        Ok(())
    })
    .await;
    assert!(!failed);
}
