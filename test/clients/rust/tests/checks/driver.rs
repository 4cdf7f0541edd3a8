//! Calls the crate.
use crate::model::{check, new_name, variable, Entity, Miss, Outcome};
use azure_core::{Continuable, Etag, RetryOptions, TransportOptions};
use azure_data_tables::{
    clients::TableServiceClientBuilder, operations::QueryEntityResponse, operations::TransactionBuilder, prelude::*,
    Filter, IfMatchCondition, Select, Top,
};
use azure_storage::{CloudLocation, ConnectionString, StorageCredentials};
use futures::StreamExt;
use serde_json::Value;
use std::{future::Future, net::SocketAddr, sync::Arc};

/// One operation of a transaction: its kind, its entity, and the tag that it needs.
pub type Operation = (&'static str, Entity, Option<String>);

#[derive(Clone)]
pub struct Driver {
    service: TableServiceClient,
}

pub fn account_key() -> StorageCredentials {
    StorageCredentials::access_key(variable("TABLES_ACCOUNT"), variable("TABLES_KEY"))
}

/// Returns a client with the account key, over HTTP.
pub fn client() -> Driver {
    open(&variable("TABLES_ENDPOINT"), account_key(), true)
}

pub fn from_connection_string() -> Outcome<Driver> {
    let text = variable("TABLES_CONNECTION_STRING");
    let parsed = ConnectionString::new(&text)?;
    Ok(open(parsed.table_endpoint.expect("the endpoint"), parsed.storage_credentials()?, true))
}

/// Opens an endpoint. With `trusted`, the client trusts the certificate of the server.
pub fn open(endpoint: &str, credentials: StorageCredentials, trusted: bool) -> Driver {
    let account = variable("TABLES_ACCOUNT");
    // Not every resolver knows the names below localhost.
    let host = format!("{account}.table.localhost");
    let mut http = reqwest::Client::builder().resolve(&host, SocketAddr::from(([127, 0, 0, 1], 0)));
    if trusted {
        let file = std::fs::read(variable("TABLES_CERTIFICATE")).expect("the certificate");
        http = http.add_root_certificate(reqwest::Certificate::from_pem(&file).expect("a certificate"));
    }
    let location = CloudLocation::Custom { account, uri: endpoint.to_owned() };
    let builder = TableServiceClientBuilder::with_location(location, credentials)
        .retry(RetryOptions::none())
        .transport(TransportOptions::new(Arc::new(http.build().expect("a client"))));
    Driver { service: builder.build() }
}

/// The crate puts keys into addresses as they are, so the caller doubles their quotes.
fn quoted(key: &str) -> String {
    key.replace('\'', "''")
}

fn key<'a>(entity: &'a Entity, name: &str) -> &'a str {
    entity[name].as_str().expect("a key")
}

fn condition(tag: Option<&str>) -> IfMatchCondition {
    tag.map_or(IfMatchCondition::Any, |tag| IfMatchCondition::Etag(Etag::from(tag.to_owned())))
}

impl Driver {
    fn at(&self, table: &str, partition: &str, row: &str) -> EntityClient {
        self.service.table_client(table).partition_key_client(quoted(partition)).entity_client(quoted(row))
    }

    fn of(&self, table: &str, entity: &Entity) -> EntityClient {
        self.at(table, key(entity, "PartitionKey"), key(entity, "RowKey"))
    }

    pub async fn create_table(&self, table: &str) -> Outcome {
        self.service.table_client(table).create().await?;
        Ok(())
    }

    pub async fn delete_table(&self, table: &str) -> Outcome {
        self.service.table_client(table).delete().await?;
        Ok(())
    }

    /// Returns the names of tables, in pages.
    pub async fn table_pages(&self, filter: Option<String>, size: Option<u32>) -> Outcome<Vec<Vec<String>>> {
        let mut query = self.service.list();
        if let Some(filter) = filter {
            query = query.filter(Filter::new(filter));
        }
        if let Some(size) = size {
            query = query.top(Top::new(size));
        }
        let (mut pages, mut found) = (query.into_stream(), vec![]);
        while let Some(page) = pages.next().await {
            found.push(page?.tables.into_iter().map(|table| table.name).collect());
        }
        Ok(found)
    }

    pub async fn insert(&self, table: &str, entity: Entity) -> Outcome<String> {
        let answer = self.service.table_client(table).insert::<_, Value>(&entity)?.await?;
        Ok(answer.etag.to_string())
    }

    /// Returns an entity and its tag.
    pub async fn get(&self, table: &str, partition: &str, row: &str) -> Outcome<(Entity, String)> {
        let answer = self.at(table, partition, row).get::<Entity>().await?;
        Ok((answer.entity, answer.etag.to_string()))
    }

    pub async fn get_selected(&self, table: &str, partition: &str, row: &str, select: &'static str) -> Outcome<Entity> {
        let answer = self.at(table, partition, row).get::<Entity>().select(Select::new(select)).await?;
        Ok(answer.entity)
    }

    pub async fn update(&self, table: &str, entity: Entity, mode: &str, tag: Option<&str>) -> Outcome<String> {
        let one = self.of(table, &entity);
        let call =
            if mode == "merge" { one.merge(&entity, condition(tag)) } else { one.update(&entity, condition(tag)) };
        Ok(call?.await?.etag.to_string())
    }

    pub async fn upsert(&self, table: &str, entity: Entity, mode: &str) -> Outcome<String> {
        let one = self.of(table, &entity);
        let call = if mode == "merge" { one.insert_or_merge(&entity) } else { one.insert_or_replace(&entity) };
        Ok(call?.await?.etag.to_string())
    }

    pub async fn delete(&self, table: &str, partition: &str, row: &str, tag: Option<&str>) -> Outcome {
        self.at(table, partition, row).delete().if_match(condition(tag)).await?;
        Ok(())
    }

    /// Returns the pages of a query, at most `count` of them, from a token if there is one.
    pub async fn pages(&self, table: &str, query: Query, count: usize) -> Outcome<(Vec<Vec<Entity>>, Option<Token>)> {
        let mut call = self.service.table_client(table).query();
        if let Some(filter) = query.filter {
            call = call.filter(Filter::new(filter));
        }
        if let Some(select) = query.select {
            call = call.select(Select::new(select));
        }
        if let Some(size) = query.size {
            call = call.top(Top::new(size));
        }
        if let Some((partition, row)) = query.token {
            call = call.initial_partition_key(partition);
            if let Some(row) = row {
                call = call.initial_row_key(row);
            }
        }
        let (mut stream, mut found, mut token) = (call.into_stream::<Entity>(), vec![], None);
        while let Some(page) = stream.next().await {
            let page: QueryEntityResponse<Entity> = page?;
            token = page.continuation();
            found.push(page.entities);
            if found.len() == count {
                break;
            }
        }
        Ok((found, token))
    }

    pub async fn list(&self, table: &str, filter: Option<&str>) -> Outcome<Vec<Entity>> {
        let query = Query { filter: filter.map(str::to_owned), ..Query::default() };
        Ok(self.pages(table, query, usize::MAX).await?.0.concat())
    }

    /// Runs a transaction, and returns the tags of its results.
    pub async fn transaction(&self, table: &str, operations: Vec<Operation>) -> Outcome<Vec<Option<String>>> {
        let partition = quoted(key(&operations[0].1, "PartitionKey"));
        let mut call = self.service.table_client(table).partition_key_client(partition).transaction();
        for (kind, entity, tag) in &operations {
            call = add(call, kind, entity, tag.as_deref())?;
        }
        let results = call.await?.operation_responses;
        match results.iter().find(|one| !one.status_code.is_success()) {
            Some(one) => Err(Miss::Rejected { status: u16::from(one.status_code), code: None }),
            None => Ok(results.into_iter().map(|one| one.etag.map(|tag| tag.to_string())).collect()),
        }
    }
}

fn add(
    call: TransactionBuilder,
    kind: &str,
    entity: &Entity,
    tag: Option<&str>,
) -> azure_core::Result<TransactionBuilder> {
    let row = quoted(key(entity, "RowKey"));
    match kind {
        "insert" => call.insert(entity),
        "merge" => call.merge(row, entity, Some(condition(tag))),
        "replace" => call.update(row, entity, Some(condition(tag))),
        "upsert-merge" => call.insert_or_merge(row, entity),
        "upsert-replace" => call.insert_or_replace(row, entity),
        _ => call.delete(row, Some(condition(tag))),
    }
}

pub type Token = (String, Option<String>);

/// What a query asks for.
#[derive(Default)]
pub struct Query {
    pub filter: Option<String>,
    pub select: Option<&'static str>,
    pub size: Option<u32>,
    pub token: Option<Token>,
}

/// Runs a check with a client and a table of its own. Returns whether it failed.
pub async fn in_table<F>(id: &str, run: impl FnOnce(Driver, String) -> F + Send + 'static) -> bool
where
    F: Future<Output = Outcome> + Send + 'static,
{
    let made = async move {
        let (one, table) = (client(), new_name());
        one.create_table(&table).await?;
        run(one.clone(), table.clone()).await?;
        one.delete_table(&table).await
    };
    check(id, made).await
}
