use azure_data_tables::clients::TableServiceClientBuilder;
use azure_storage::{CloudLocation, StorageCredentials};
use serde::{Deserialize, Serialize};
use testcontainers_modules::{
    azurite::Azurite,
    testcontainers::{runners::AsyncRunner, ImageExt},
};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Fruit {
    partition_key: String,
    row_key: String,
    color: String,
}

#[tokio::test]
async fn reads_what_it_wrote() -> Result<(), Box<dyn std::error::Error>> {
    let storage = Azurite::default().with_name("tabularium").with_tag("full").start().await?;
    let address = storage.get_host().await?;
    let port = storage.get_host_port_ipv4(10002).await?;
    let location = CloudLocation::Emulator { address: address.to_string(), port };
    let service = TableServiceClientBuilder::with_location(location, StorageCredentials::emulator()).build();
    let table = service.table_client("Fruit");
    table.create().await?;

    let lemon = Fruit { partition_key: "citrus".into(), row_key: "lemon".into(), color: "yellow".into() };
    table.insert::<_, Fruit>(&lemon)?.await?;
    let found = table.partition_key_client("citrus").entity_client("lemon").get::<Fruit>().await?;
    assert_eq!(found.entity.color, "yellow");
    Ok(())
}
