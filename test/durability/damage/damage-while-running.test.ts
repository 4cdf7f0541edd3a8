import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dataFolder } from '../../../src/store/level/open-folder.js';
import { expectTableError } from '../../support/answers/expect-error.js';
import { ServiceClient } from '../../support/clients/service-client.js';
import { filesOf } from '../../support/programs/data-folder.js';
import { makeFolder } from '../../support/programs/make-folder.js';
import { startService } from '../../support/servers/start-service.js';

let location: string;
beforeEach(async () => {
  location = await makeFolder();
});
afterEach(() => rm(location, { recursive: true }));

/** Overwrites the first half of a file, which contains rows, as a failing disk would. */
function overwriteRows(path: string): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(statSync(path).size / 2, 0xa5), 0);
  closeSync(file);
}

/** About 20 KiB of text that does not compress, so that every row fills a block of its own. */
const filler = Buffer.from(Array.from({ length: 15_000 }, (_, at) => (at * at * 7919) >> 7)).toString('base64');

describe('A server whose files are damaged while it runs', () => {
  it('answers InternalError for unreadable rows, logs the reason, and still serves all other rows', async () => {
    let service = await startService({ location });
    const client = new ServiceClient(() => service);
    await client.post('/Tables', { TableName: 'Kept' });
    for (const row of 'abcdefgh') await client.post('/Kept', { PartitionKey: 'p', RowKey: row, Filler: filler });
    for (let row = 10; row < 80; row++) {
      await client.post('/Kept', { PartitionKey: 'q', RowKey: String(row), Filler: filler });
    }
    // An end leaves a megabyte of log at most. What is older is in table files alone, which are read when a request needs them.
    await service.close();
    service = await startService({ location });
    for (const path of filesOf(join(location, dataFolder), /\.ldb$/)) overwriteRows(path);

    const answers = [
      await client.get("/Kept(PartitionKey='p',RowKey='a')"),
      await client.get('/Kept()'),
      await client.merge("/Kept(PartitionKey='p',RowKey='b')", { N: 2 }, { ifMatch: '*' }),
    ];
    for (const answer of answers) expectTableError(answer, 500, 'InternalError');
    const logged = service.takeLoggedErrors();
    expect(logged).toHaveLength(answers.length);
    for (const line of logged) expect(line).toMatch(/Corruption: |IO error: .*\.ldb/);

    const whole = await client.get("/Kept(PartitionKey='q',RowKey='79')");
    expect(whole.json['Filler']).toBe(filler);
    expect((await client.get('/Tables')).rows).toHaveLength(1);
    await client.post('/Tables', { TableName: 'New' });
    expect((await client.put("/New(PartitionKey='p',RowKey='r')", { N: 1 })).status).toBe(204);
    expect((await client.get("/New(PartitionKey='p',RowKey='r')")).status).toBe(200);
    await service.close();
    client.close();
    await expect(startService({ location })).rejects.toThrow(/ is damaged: the file \d+\.ldb is damaged\. /);
  });
});
