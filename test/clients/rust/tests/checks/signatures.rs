//! Shared access signatures of the account. The crate cannot make those of a table.
use crate::driver::{client, open, Driver};
use crate::model::{cannot, check, entity, new_name, rejected, variable, Outcome};
use azure_storage::shared_access_signature::account_sas::{
    AccountSasPermissions, AccountSasResource, AccountSasResourceType, AccountSharedAccessSignature,
};
use azure_storage::shared_access_signature::SasToken;
use azure_storage::StorageCredentials;

/// Returns a client with a signature for one type of resource.
fn signed(kind: AccountSasResourceType, permissions: AccountSasPermissions) -> Outcome<Driver> {
    let expiry = time::OffsetDateTime::now_utc() + time::Duration::HOUR;
    let (account, key) = (variable("TABLES_ACCOUNT"), variable("TABLES_KEY").into());
    let made = AccountSharedAccessSignature::new(account, key, AccountSasResource::Table, kind, expiry, permissions);
    Ok(open(&variable("TABLES_ENDPOINT"), StorageCredentials::sas_token(made.token()?)?, true))
}

fn all() -> AccountSasPermissions {
    let (read, write, delete, list, add, create, update) = (true, true, true, true, true, true, true);
    AccountSasPermissions { read, write, delete, list, add, create, update, process: false }
}

async fn with_table() -> Outcome<String> {
    let table = new_name();
    client().create_table(&table).await?;
    Ok(table)
}

#[tokio::test]
async fn of_the_account() {
    let failed = [
        check("sas.account", async {
            let (one, table) = (signed(AccountSasResourceType::Container, all())?, new_name());
            one.create_table(&table).await?;
            assert!(one.table_pages(None, None).await?.concat().contains(&table));
            one.delete_table(&table).await
        })
        .await,
        check("sas.account-entities", async {
            let (one, table) = (signed(AccountSasResourceType::Object, all())?, with_table().await?);
            one.insert(&table, entity("p", "r", &[])).await?;
            one.get(&table, "p", "r").await?;
            Ok(())
        })
        .await,
        check("sas.account-no-type", async {
            let (one, table) = (signed(AccountSasResourceType::Service, all())?, with_table().await?);
            rejected(one.list(&table, None).await, 403, "AuthorizationResourceTypeMismatch")
        })
        .await,
        check("sas.account-no-right", async {
            let rights = AccountSasPermissions { read: true, ..AccountSasPermissions::default() };
            let (one, table) = (signed(AccountSasResourceType::Object, rights)?, with_table().await?);
            let written = one.insert(&table, entity("p", "r", &[])).await;
            rejected(written, 403, "AuthorizationPermissionMismatch")
        })
        .await,
    ];
    assert!(!failed.contains(&true));
}

#[tokio::test]
async fn of_a_table() {
    cannot(
        &[
            "sas.query",
            "sas.add",
            "sas.update",
            "sas.delete",
            "sas.upsert",
            "sas.no-query",
            "sas.no-add",
            "sas.no-delete",
            "sas.upsert-half",
            "sas.transaction",
            "sas.other-table",
            "sas.expired",
            "sas.early",
            "sas.tampered",
            "sas.range-list",
            "sas.range-write",
            "sas.address",
            "sas.other-address",
            "sas.https-only",
            "sas.policy",
            "sas.policy-removed",
        ],
        "the client cannot make a signature of a table",
    )
    .await;
}
