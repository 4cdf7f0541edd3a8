import { commandLine } from '../../command-line.js';
import { connectionStringVariable } from '../../protocol/access/connection-string.js';
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

/** A language for a copied query. Command lines are for a POSIX shell, as their labels say. */
export interface Sample {
  readonly label: string;
  write(query: SampleQuery): string;
}

/** All languages, in the order of the menu. */
export const samples: readonly Sample[] = [
  { label: 'curl (sh)', write: writeCurl },
  { label: 'JavaScript', write: writeJavaScript },
  { label: 'C#', write: writeCSharp },
  { label: 'Python', write: writePython },
  { label: 'Java', write: writeJava },
  { label: 'Go', write: writeGo },
];

function writeCurl({ root, account, table, filter, select }: SampleQuery): string {
  const options = [
    ...(filter === '' ? [] : [`--data-urlencode ${shellWord(`$filter=${filter}`)}`]),
    ...(select ? [`--data-urlencode ${shellWord(`$select=${select.join(',')}`)}`] : []),
  ];
  return [
    `SAS=$(${commandLine(`sas --account ${shellWord(account)} --table ${shellWord(table)}`, root)} | cut -d'?' -f2)`,
    [
      `curl -G ${shellWord(`${root}/${account}/${table}()?`)}"$SAS"`,
      ...options,
      '-H "Accept: application/json;odata=minimalmetadata"',
    ].join(' \\\n  '),
  ].join('\n');
}

function writeJavaScript({ table, filter, select }: SampleQuery): string {
  const options = [
    ...(filter === '' ? [] : [`filter: ${JSON.stringify(filter)}`]),
    ...(select ? [`select: ${JSON.stringify(select)}`] : []),
  ];
  const wish = options.length === 0 ? '' : `{ queryOptions: { ${options.join(', ')} } }`;
  return `import { TableClient } from '@azure/data-tables';

const table = TableClient.fromConnectionString(process.env.${connectionStringVariable}, ${JSON.stringify(table)}, {
  allowInsecureConnection: true,
});
for await (const entity of table.listEntities(${wish})) console.log(entity);
`;
}

/** Returns a C# literal: more characters end a line there than in JSON. */
function csharpText(text: string): string {
  return JSON.stringify(text).replace(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function writeCSharp({ table, filter, select }: SampleQuery): string {
  const options = [
    ...(filter === '' ? [] : [`filter: ${csharpText(filter)}`]),
    ...(select ? [`select: new[] { ${select.map(csharpText).join(', ')} }`] : []),
  ];
  return `using Azure.Data.Tables;

var table = new TableClient(Environment.GetEnvironmentVariable("${connectionStringVariable}"), ${csharpText(table)});
await foreach (var entity in table.QueryAsync<TableEntity>(${options.join(', ')}))
{
    Console.WriteLine($"{entity.PartitionKey} {entity.RowKey}");
}
`;
}

function writePython({ table, filter, select }: SampleQuery): string {
  const names = select ? `, select=${JSON.stringify(select)}` : '';
  const call = filter === '' ? `list_entities(${names.slice(2)})` : `query_entities(${JSON.stringify(filter)}${names})`;
  return `import os
from azure.data.tables import TableClient

with TableClient.from_connection_string(os.environ["${connectionStringVariable}"], ${JSON.stringify(table)}) as table:
    for entity in table.${call}:
        print(entity)
`;
}

function writeJava({ table, filter, select }: SampleQuery): string {
  const options = [
    ...(filter === '' ? [] : [`.setFilter(${JSON.stringify(filter)})`]),
    ...(select ? [`.setSelect(List.of(${select.map((name) => JSON.stringify(name)).join(', ')}))`] : []),
  ];
  return `import com.azure.data.tables.TableClient;
import com.azure.data.tables.TableClientBuilder;
import com.azure.data.tables.models.ListEntitiesOptions;
import java.util.List;

public class Query {
    public static void main(String[] args) {
        TableClient table = new TableClientBuilder()
            .connectionString(System.getenv("${connectionStringVariable}"))
            .tableName(${JSON.stringify(table)})
            .buildClient();
        ListEntitiesOptions options = new ListEntitiesOptions()${options.map((one) => `\n            ${one}`).join('')};
        table.listEntities(options, null, null).forEach(entity -> System.out.println(entity.getProperties()));
    }
}
`;
}

function writeGo({ table, filter, select }: SampleQuery): string {
  const options = [
    ...(filter === '' ? [] : [`Filter: to.Ptr(${JSON.stringify(filter)})`]),
    ...(select ? [`Select: to.Ptr(${JSON.stringify(select.join(','))})`] : []),
  ];
  const pointers = options.length === 0 ? '' : '\n\t"github.com/Azure/azure-sdk-for-go/sdk/azcore/to"';
  return `package main

import (
	"context"
	"fmt"
	"log"
	"os"
${pointers}
	"github.com/Azure/azure-sdk-for-go/sdk/data/aztables"
)

func main() {
	service, err := aztables.NewServiceClientFromConnectionString(os.Getenv("${connectionStringVariable}"), nil)
	if err != nil {
		log.Fatal(err)
	}
	pager := service.NewClient(${JSON.stringify(table)}).NewListEntitiesPager(&aztables.ListEntitiesOptions{${options.join(', ')}})
	for pager.More() {
		page, err := pager.NextPage(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		for _, entity := range page.Entities {
			fmt.Println(string(entity))
		}
	}
}
`;
}
