// dotnet add package Testcontainers.Azurite; dotnet add package Azure.Data.Tables
using Azure.Data.Tables;
using Testcontainers.Azurite;

await using var storage = new AzuriteBuilder("tabularium:full").Build();
await storage.StartAsync();

var table = new TableClient(storage.GetConnectionString(), "Fruit");
await table.CreateAsync();
