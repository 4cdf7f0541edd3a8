import { commandLine } from '../../command-line.js';
import { connectionStringVariable as variable } from '../../protocol/access/connection-string.js';
import { shellWord } from '../../protocol/shell-word.js';

/** A query to write as a program. */
export interface SampleQuery {
  /** Scheme, host and port of the server. */
  readonly root: string;
  readonly account: string;
  readonly table: string;
  /** Empty for all entities. */
  readonly filter: string;
  readonly select: readonly string[] | undefined;
}

/** A language of complete programs. */
export interface Language {
  readonly label: string;
  /** How to get the SDK, as a comment of the first program. */
  readonly install: string;
  /** A program with these lines for a table. */
  write(lines: string, table: string): string;
  /** They create a table and write an entity, and can run again. */
  readonly first: string;
  query(query: SampleQuery): string;
}

/** The languages, in the order of the menu. */
export const languages: readonly Language[] = [
  {
    label: 'JavaScript',
    install: '// npm install @azure/data-tables',
    write: (lines, table) => `import { TableClient } from "@azure/data-tables";

const table = TableClient.fromConnectionString(process.env.${variable}, ${quoted(table)}, {
  allowInsecureConnection: true,
});
${lines}`,
    first: `await table.createTable();
await table.upsertEntity({ partitionKey: "customer1", rowKey: "0001", total: 9.5 });`,
    query: (query) => `const queryOptions = { ${optionsOf(query, 'filter: @', 'select: [@]').join(', ')} };
for await (const entity of table.listEntities({ queryOptions })) console.log(entity);`,
  },
  {
    label: 'C#',
    install: `#:package Azure.Data.Tables@12.13.0
// For "dotnet run orders.cs" with .NET 10. In a project, add the package instead of the first line.`,
    write: (lines, table) => `using Azure.Data.Tables;

var table = new TableClient(Environment.GetEnvironmentVariable("${variable}"), ${quoted(table)});
${lines}`,
    first: `await table.CreateIfNotExistsAsync();
await table.UpsertEntityAsync(new TableEntity("customer1", "0001") { ["total"] = 9.5 });`,
    query: (
      query,
    ) => `var query = table.QueryAsync<TableEntity>(${optionsOf(query, 'filter: @', 'select: new[] { @ }').join(', ')});
await foreach (var entity in query) Console.WriteLine($"{entity.PartitionKey} {entity.RowKey}");`,
  },
  {
    label: 'Python',
    install: '# pip install azure-data-tables',
    write: (lines, table) => `import os
from azure.data.tables import TableServiceClient

service = TableServiceClient.from_connection_string(os.environ["${variable}"])
table = service.get_table_client(${quoted(table)})
${lines}`,
    first: `service.create_table_if_not_exists("orders")
table.upsert_entity({"PartitionKey": "customer1", "RowKey": "0001", "total": 9.5})`,
    query: (query) => `find = table.${query.filter === '' ? 'list' : 'query'}_entities
for entity in find(${optionsOf(query, '@', 'select=[@]').join(', ')}):
    print(entity)`,
  },
  {
    label: 'Java',
    install: '// mvn dependency:get -Dartifact=com.azure:azure-data-tables:LATEST',
    write: (lines, table) => `import com.azure.data.tables.*;
import com.azure.data.tables.models.*;
import java.util.List;

public class Program {
    public static void main(String[] args) {
        TableServiceClient service = new TableServiceClientBuilder()
            .connectionString(System.getenv("${variable}"))
            .buildClient();
        TableClient table = service.getTableClient(${quoted(table)});
        ${lines}
    }
}`,
    first: `service.createTableIfNotExists("orders");
        table.upsertEntity(new TableEntity("customer1", "0001").addProperty("total", 9.5));`,
    query: (
      query,
    ) => `var options = new ListEntitiesOptions()${optionsOf(query, '.setFilter(@)', '.setSelect(List.of(@))').join('')};
        table.listEntities(options, null, null).forEach(entity -> System.out.println(entity.getProperties()));`,
  },
  {
    label: 'Go',
    install: '// go get github.com/Azure/azure-sdk-for-go/sdk/data/aztables',
    write: (lines, table) => `package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

func main() {
	service, err := aztables.NewServiceClientFromConnectionString(os.Getenv("${variable}"), nil)
	if err != nil {
		log.Fatal(err)
	}
	table := service.NewClient(${quoted(table)})
	${lines}
}`,
    first: `// The second run gets TableAlreadyExists.
	_, _ = table.CreateTable(context.Background(), nil)
	entity := []byte(\`{"PartitionKey":"customer1","RowKey":"0001","total":9.5}\`)
	if _, err = table.UpsertEntity(context.Background(), entity, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(entity))`,
    query: (query) => `options := &aztables.ListEntitiesOptions{}
	${optionsOf(query, 'filter := @; options.Filter = &filter', 'names := @; options.Select = &names')
    .map((line) => line.replaceAll('", "', ','))
    .join('\n\t')}
	for pager := table.NewListEntitiesPager(options); pager.More(); {
		page, err := pager.NextPage(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		for _, entity := range page.Entities {
			fmt.Println(string(entity))
		}
	}`,
  },
];

/** Returns the first program in a language. */
export function firstProgram({ install, write, first }: Language): string {
  return `${install}\n${write(first, 'orders')}`;
}

/** Returns a query as a program. */
export function writeQuery({ write, query }: Language, sent: SampleQuery): string {
  return write(query(sent), sent.table);
}

/** Returns a query as command lines for a POSIX shell. */
export function writeCurl({ root, account, table, filter, select }: SampleQuery): string {
  const options = [...(filter ? [`$filter=${filter}`] : []), ...(select ? [`$select=${select.join(',')}`] : [])];
  const sas = commandLine(`sas --account ${shellWord(account)} --table ${shellWord(table)}`, root);
  const words = [
    `curl -G ${shellWord(`${root}/${account}/${table}()?`)}"$SAS"`,
    ...options.map((option) => `--data-urlencode ${shellWord(option)}`),
    '-H "Accept: application/json;odata=minimalmetadata"',
  ];
  return `SAS=$(${sas} | cut -d'?' -f2)\n${words.join(' \\\n  ')}`;
}

/** Returns the options of a query that it has, with their literals in place of `@`. */
function optionsOf({ filter, select }: SampleQuery, ...forms: readonly [filter: string, select: string]): string[] {
  const literals = [filter && quoted(filter), select?.map(quoted).join(', ')];
  return forms.flatMap((form, at) => (literals[at] ? [form.replace('@', () => literals[at] ?? '')] : []));
}

/** Returns a literal for each of the languages. In C#, more characters end a line than in JSON. */
function quoted(text: string): string {
  const ends = /[\u0085\u2028\u2029]/g;
  return JSON.stringify(text).replace(ends, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
