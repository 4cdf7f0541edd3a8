//! Accounts, addresses, tokens and tables.
use crate::driver::{account_key, client, from_connection_string, open, Driver};
use crate::model::{check, entity, new_name, numbers, rejected, variable, Miss, Outcome};
use azure_storage::StorageCredentials;

async fn write_and_read(client: Driver) -> Outcome {
    let table = new_name();
    client.create_table(&table).await?;
    client.insert(&table, entity("p", "r", &[("A", 1)])).await?;
    assert_eq!(numbers(&client.get(&table, "p", "r").await?.0), [("A".to_owned(), 1)]);
    Ok(())
}

async fn write_together(client: Driver) -> Outcome {
    let table = new_name();
    client.create_table(&table).await?;
    let operations = ["1", "2"].map(|row| ("insert", entity("p", row, &[]), None)).to_vec();
    client.transaction(&table, operations).await?;
    assert_eq!(client.list(&table, None).await?.len(), 2);
    Ok(())
}

async fn listed(client: &Driver) -> Outcome<Vec<String>> {
    Ok(client.table_pages(None, None).await?.concat())
}

fn at(name: &str) -> Driver {
    open(&variable(name), account_key(), true)
}

fn with_token(name: &str) -> Driver {
    open(&variable("TABLES_HTTPS_ENDPOINT"), StorageCredentials::bearer_token(variable(name)), true)
}

#[tokio::test]
async fn accounts_and_addresses() {
    let failed = [
        check("auth.shared-key", write_and_read(client())).await,
        check("auth.connection-string", async { write_and_read(from_connection_string()?).await }).await,
        check("auth.wrong-key", async {
            let key = StorageCredentials::access_key(variable("TABLES_ACCOUNT"), "YW5vdGhlciBrZXk=");
            rejected(listed(&open(&variable("TABLES_ENDPOINT"), key, true)).await, 403, "AuthenticationFailed")
        })
        .await,
        check("auth.host-style", write_and_read(at("TABLES_HOST_ENDPOINT"))).await,
        check("auth.host-style-transaction", write_together(at("TABLES_HOST_ENDPOINT"))).await,
        check("auth.secondary-read", async {
            let table = new_name();
            client().create_table(&table).await?;
            client().insert(&table, entity("p", "r", &[("A", 1)])).await?;
            at("TABLES_SECONDARY_ENDPOINT").get(&table, "p", "r").await?;
            Ok(())
        })
        .await,
        check("auth.secondary-write", async {
            let table = new_name();
            client().create_table(&table).await?;
            let written = at("TABLES_SECONDARY_ENDPOINT").insert(&table, entity("p", "r", &[])).await;
            rejected(written, 403, "InsufficientAccountPermissions")
        })
        .await,
        check("auth.https", write_and_read(at("TABLES_HTTPS_ENDPOINT"))).await,
        check("auth.https-transaction", write_together(at("TABLES_HTTPS_ENDPOINT"))).await,
        check("auth.https-untrusted", async {
            match listed(&open(&variable("TABLES_HTTPS_ENDPOINT"), account_key(), false)).await {
                Err(Miss::Failed(why)) if why.contains("certificate") => Ok(()),
                other => Err(Miss::Failed(format!("{other:?}"))),
            }
        })
        .await,
        check("auth.bearer", async { write_and_read(with_token("TABLES_TOKEN")).await }).await,
        check("auth.bearer-transaction", async { write_together(with_token("TABLES_TOKEN")).await }).await,
        check("auth.bearer-expired", async {
            match listed(&with_token("TABLES_EXPIRED_TOKEN")).await {
                Err(Miss::Rejected { status: 401 | 403, .. }) => Ok(()),
                other => Err(Miss::Failed(format!("{other:?}"))),
            }
        })
        .await,
    ];
    assert!(!failed.contains(&true));
}

#[tokio::test]
async fn tables() {
    let client = client();
    let table = new_name();
    let (one, name) = (client.clone(), table.clone());
    let create = check("table.create", async move {
        one.create_table(&name).await?;
        assert!(listed(&one).await?.contains(&name));
        Ok(())
    });
    let mut failed = vec![create.await];
    for (id, name, status, code) in [
        ("table.create-twice", table.clone(), 409, "TableAlreadyExists"),
        ("table.create-case", table.to_uppercase(), 409, "TableAlreadyExists"),
        ("table.invalid-name", "a-b".to_owned(), 400, ""),
    ] {
        let one = client.clone();
        failed.push(check(id, async move { rejected(one.create_table(&name).await, status, code) }).await);
    }
    let one = client.clone();
    failed.push(
        check("table.delete", async move {
            let name = new_name();
            one.create_table(&name).await?;
            one.delete_table(&name).await?;
            assert!(!listed(&one).await?.contains(&name));
            Ok(())
        })
        .await,
    );
    let one = client.clone();
    failed.push(
        check(
            "table.delete-missing",
            async move { rejected(one.delete_table(&new_name()).await, 404, "ResourceNotFound") },
        )
        .await,
    );
    let (one, name) = (client.clone(), table.clone());
    failed.push(
        check("table.recreate", async move {
            one.insert(&name, entity("p", "r", &[])).await?;
            one.delete_table(&name).await?;
            one.create_table(&name).await?;
            assert!(one.list(&name, None).await?.is_empty());
            Ok(())
        })
        .await,
    );
    let (one, name) = (client.clone(), table.clone());
    failed.push(
        check("table.filter", async move {
            let found = one.table_pages(Some(format!("TableName eq '{name}'")), None).await?.concat();
            assert_eq!(found, [name]);
            Ok(())
        })
        .await,
    );
    let one = client.clone();
    failed.push(
        check("table.pages", async move {
            for at in 0..5 {
                one.create_table(&format!("pagesrust{at}")).await?;
            }
            let filter = "TableName ge 'pagesrust' and TableName lt 'pagesrusu'".to_owned();
            let sizes: Vec<_> = one.table_pages(Some(filter), Some(2)).await?.iter().map(Vec::len).collect();
            assert_eq!(sizes, [2, 2, 1]);
            Ok(())
        })
        .await,
    );
    let one = client.clone();
    failed.push(
        check("table.missing", async move {
            rejected(one.insert(&new_name(), entity("p", "r", &[])).await, 404, "TableNotFound")
        })
        .await,
    );
    assert!(!failed.contains(&true));
}
