import { connectionStringVariable } from '../../protocol/access/connection-string.js';

/** A language of the first lines. */
export type SnippetLanguage = 'JavaScript' | 'Python' | 'C#' | 'Java' | 'Go';

/** The first lines of a program in each language. They create a table and write an entity, and can run again. */
export const snippets: Readonly<Record<SnippetLanguage, string>> = {
  JavaScript: `// npm install @azure/data-tables
import { TableClient } from "@azure/data-tables";

const table = TableClient.fromConnectionString(process.env.${connectionStringVariable}, "orders", {
  allowInsecureConnection: true,
});
await table.createTable();
await table.upsertEntity({ partitionKey: "customer1", rowKey: "0001", total: 9.5 });`,
  Python: `# pip install azure-data-tables
import os
from azure.data.tables import TableServiceClient

service = TableServiceClient.from_connection_string(os.environ["${connectionStringVariable}"])
table = service.create_table_if_not_exists("orders")
table.upsert_entity({"PartitionKey": "customer1", "RowKey": "0001", "total": 9.5})`,
  'C#': `#:package Azure.Data.Tables@12.13.0
// For "dotnet run orders.cs" with .NET 10. In a project, add the package instead of the first line.
using Azure.Data.Tables;

var table = new TableClient(Environment.GetEnvironmentVariable("${connectionStringVariable}"), "orders");
await table.CreateIfNotExistsAsync();
await table.UpsertEntityAsync(new TableEntity("customer1", "0001") { ["total"] = 9.5 });`,
  Java: `// mvn dependency:get -Dartifact=com.azure:azure-data-tables:LATEST
import com.azure.data.tables.TableServiceClient;
import com.azure.data.tables.TableServiceClientBuilder;
import com.azure.data.tables.models.TableEntity;

public class Orders {
    public static void main(String[] args) {
        TableServiceClient service = new TableServiceClientBuilder()
            .connectionString(System.getenv("${connectionStringVariable}"))
            .buildClient();
        service.createTableIfNotExists("orders");
        service.getTableClient("orders").upsertEntity(new TableEntity("customer1", "0001").addProperty("total", 9.5));
    }
}`,
  Go: `// go get github.com/Azure/azure-sdk-for-go/sdk/data/aztables
package main

import (
	"context"
	"log"
	"os"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

func main() {
	service, err := aztables.NewServiceClientFromConnectionString(os.Getenv("${connectionStringVariable}"), nil)
	if err != nil {
		log.Fatal(err)
	}
	table := service.NewClient("orders")
	// The second run gets TableAlreadyExists.
	_, _ = table.CreateTable(context.Background(), nil)
	entity := []byte(\`{"PartitionKey":"customer1","RowKey":"0001","total":9.5}\`)
	if _, err = table.UpsertEntity(context.Background(), entity, nil); err != nil {
		log.Fatal(err)
	}
}`,
};
