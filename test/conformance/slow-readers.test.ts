import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { createSignature } from '../../src/auth/create-signature.js';
import { batchBoundary, insert, writeChangeSet } from '../support/bodies/batch-tools.js';
import { describeService } from '../support/servers/describe-service.js';

const partitions = 6;
const batches = 2;
const rowsOfBatch = 100;

interface Row {
  readonly PartitionKey: string;
  readonly Text: string;
}

/** A page of four megabytes, more than the system keeps for a reader, so that the server has to. */
const textOf = (partition: number) => String(partition).repeat(20_000);

describeService('Pages for slow readers', ({ client, service }) => {
  it('keep their content while many of them wait to be read', async () => {
    await client.post('/Tables', { TableName: 'Slow' });
    for (let at = 0; at < partitions * batches; at++) {
      const PartitionKey = `p${at % partitions}`;
      const rows = Array.from({ length: rowsOfBatch }, (_, row) => ({ PartitionKey, RowKey: `${at}-${row}` }));
      const parts = rows.map((row) => insert('Slow', { ...row, Text: textOf(at % partitions) }));
      const body = writeChangeSet(parts.map((part) => ({ ...part, url: `${service().base}${part.url}` })));
      const type = `multipart/mixed; boundary=${batchBoundary}`;
      expect((await client.post('/$batch', body, { headers: { 'Content-Type': type } })).status).toBe(202);
    }

    const { name, keys } = service().account;
    const access = createSignature({ tn: 'Slow', sp: 'r', se: '2099-01-01' }, name, keys[0] ?? '');
    // No reader reads on before every page has been written.
    const answers: IncomingMessage[] = [];
    for (let reader = 0; reader < 2 * partitions; reader++) {
      const filter = encodeURIComponent(`PartitionKey eq 'p${reader % partitions}'`);
      const headers = { Accept: 'application/json;odata=nometadata' };
      const asked = get(`${service().base}/Slow()?$filter=${filter}&${access}`, { headers });
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      answers.push(answer);
    }
    for (const [reader, answer] of answers.entries()) {
      const { value } = (await json(answer)) as { value: Row[] };
      expect(value).toHaveLength(batches * rowsOfBatch);
      const partition = reader % partitions;
      const isWhole = (row: Row) => row.PartitionKey === `p${partition}` && row.Text === textOf(partition);
      expect(value.every(isWhole)).toBe(true);
    }
  });
});
