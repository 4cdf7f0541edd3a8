//! The unmodified clients with the default credential. The endpoint and everything else comes from the environment. The client
//! has no transactions.

use azure_data_tables::{clients::TableServiceClientBuilder, operations::InsertEntityResponse};
use azure_storage::{CloudLocation, StorageCredentials};
use futures::StreamExt;
use serde::{Deserialize, Serialize};

const REJECTED: &str = "AuthorizationPermissionMismatch";

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Row {
    #[serde(rename = "PartitionKey")]
    partition: String,
    #[serde(rename = "RowKey")]
    row: String,
}

fn row(name: &str) -> Row {
    Row { partition: "p".into(), row: name.into() }
}

fn step<T>(name: &str, result: azure_core::Result<T>) {
    match result {
        Ok(_) => println!("{name} ok"),
        Err(error) => match error.as_http_error() {
            // The client reads the code from a header, and tables have it in the body, which the error shows.
            Some(rejected) if format!("{rejected:?}").contains(REJECTED) => {
                println!("{name} {} {REJECTED}", u16::from(rejected.status()))
            }
            _ => println!("{name} {error:?}"),
        },
    }
}

#[tokio::main]
async fn main() -> azure_core::Result<()> {
    let endpoint = std::env::var("AZURE_TABLES_ENDPOINT").expect("AZURE_TABLES_ENDPOINT");
    let account = endpoint.rsplit('/').next().unwrap_or_default().to_owned();
    let credentials = StorageCredentials::token_credential(azure_identity::create_default_credential()?);
    let location = CloudLocation::Custom { account, uri: endpoint };
    let service =
        TableServiceClientBuilder::with_location(location, credentials).retry(azure_core::RetryOptions::none()).build();
    let people = service.table_client("People");
    step("create-table", service.table_client("Created").create().await);
    let inserted: azure_core::Result<InsertEntityResponse<Row>> =
        people.insert::<_, Row>(&row("inserted"))?.return_entity(false).await;
    step("insert", inserted);
    let upserted = people.partition_key_client("p").entity_client("upserted");
    step("upsert", upserted.insert_or_merge(&row("upserted"))?.await);
    println!("transaction cannot the client has no transactions");
    let mut pages = people.query().into_stream::<serde_json::Value>();
    match pages.next().await {
        Some(page) => step("list", page),
        None => println!("list found nothing"),
    }
    Ok(())
}
