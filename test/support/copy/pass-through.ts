import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startTabularium } from '../../../src/index.js';
import { makeFolder } from '../programs/make-folder.js';
import { copyBetween, exported, manyRows, oddData } from './copy-between.js';

/** The ends that copies pass through, beside files, Cosmos DB's port and Tabularium, which are last. */
export interface OtherEnds {
  /** A service that gets the entities first. */
  readonly service?: string;
  readonly database?: string | undefined;
  /** Returns a line of the data as that service can keep it. */
  readonly lineFor?: (line: string) => string;
}

/**
 * Copies odd entities and `rows` plain ones through all ends, one after the other, and compares what arrives. Returns the file on the
 * way.
 */
export async function passThrough(rows: number, { service, database, lineFor }: OtherEnds = {}): Promise<string> {
  await using source = await startTabularium();
  await using cosmos = await startTabularium({ cosmos: true });
  await using last = await startTabularium();
  const folder = await makeFolder();
  // Cosmos DB has no policies and no empty keys.
  const lines = oddData.split('\n').filter((line) => !line.includes('"RowKey":""'));
  const plain = lines.map((line) => line.replace(/,"policies":\[.*\]/, ''));
  const most = Array.from({ length: 252 }, (_, at) => `"P${at}":${at}.0`).join();
  plain.push(
    `{"PartitionKey":"odd","RowKey":"most",${most}}`,
    '{"PartitionKey":"odd","RowKey":"least","Min@odata.type":"Edm.Int64","Min":"-9223372036854775808","Last":"\\r\\n"}',
    '',
  );
  await source.import([plain.map(lineFor ?? String).join('\n'), manyRows(rows, 90)]);
  const ends = {
    ...(service !== undefined && { service }),
    NDJSON: join(folder, 'all.ndjson'),
    'a folder of files': join(folder, 'files/'),
    'a data folder': join(folder, 'data', 'tabularium-data'),
    ...(database !== undefined && { PostgreSQL: database }),
    'Cosmos DB': cosmos.cosmosConnectionString ?? '',
    Tabularium: last.connectionString,
  };
  let from = source.connectionString;
  for (const [name, to] of Object.entries(ends)) {
    const { tables, rejectedRows, differences } = await copyBetween(from.replace(/\/tabularium-data$/, ''), to);
    const verified = tables.map((table) => table.verified);
    const expected = { rejectedRows: 0, differences: 0, verified: ['same', 'same', 'same', 'same'] };
    expect({ rejectedRows, differences, verified }, name).toEqual(expected);
    from = to;
  }
  expect(await exported(last)).toBe(await exported(source));
  const file = readFileSync(ends.NDJSON, 'utf8');
  rmSync(folder, { recursive: true });
  return file;
}
