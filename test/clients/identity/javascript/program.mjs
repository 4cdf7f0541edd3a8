// The unmodified clients with DefaultAzureCredential. The endpoint and everything else comes from the environment.
import { TableClient } from '@azure/data-tables';
import { DefaultAzureCredential } from '@azure/identity';

const endpoint = process.env.AZURE_TABLES_ENDPOINT;
const credential = new DefaultAzureCredential();
const clientOf = (name) => new TableClient(endpoint, name, credential, { retryOptions: { maxRetries: 0 } });
const [people, created] = [clientOf('People'), clientOf('Created')];
const key = (rowKey) => ({ partitionKey: 'p', rowKey });

const steps = {
  'create-table': () => created.createTable(),
  insert: () => people.createEntity(key('inserted')),
  upsert: () => people.upsertEntity(key('upserted')),
  transaction: () =>
    people.submitTransaction([
      ['create', key('first')],
      ['create', key('second')],
    ]),
  list: async () => {
    for await (const { rowKey } of people.listEntities()) if (rowKey === 'r') return;
    throw new Error('the entity is missing');
  },
};
for (const [step, run] of Object.entries(steps)) {
  const code = (error) => error.details?.odataError?.code ?? error.code ?? error.message;
  const answer = await run().then(
    () => 'ok',
    (error) => `${error.statusCode} ${code(error)}`,
  );
  console.log(step, answer);
}
