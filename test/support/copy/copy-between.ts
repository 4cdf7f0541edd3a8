import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeServer } from '../../../src/commands/copy/serve-place.js';
import type { CopyReport, CopyWish } from '../../../src/copy/contract.js';
import { type CopyOptions, copyTablesBetween } from '../../../src/copy/copy.js';
import { startTabularium, type Tabularium } from '../../../src/index.js';

/** Returns the path of a state that no copy has used. */
export function newState(): string {
  return join(tmpdir(), `copy-state-${randomBytes(6).toString('hex')}.json`);
}

/** Copies between two ends, with the defaults of the command. Removes the state of a copy that fails, unless it is named. */
export async function copyBetween(
  from: string,
  to: string,
  wish: Partial<CopyWish> = {},
  options: Partial<CopyOptions> = {},
): Promise<CopyReport> {
  const state = wish.state ?? newState();
  try {
    return await copyTablesBetween(
      {
        ...{ from, to, tables: [], omit: [], mask: [], rename: new Map(), limit: Number.POSITIVE_INFINITY, sample: 1 },
        ...{ mode: 'insert', settings: false, dryRun: false, compare: false, verify: true },
        ...{ transfers: 8, ...wish, state },
      },
      {
        ...{ environment: {}, serve: placeServer({}) },
        ...{ signal: new AbortController().signal, progress: { add: () => {}, end: () => {} }, ...options },
      },
    );
  } finally {
    if (wish.state === undefined) rmSync(state, { force: true });
  }
}

/** Two servers in this process, whose data is in memory. */
export interface TwoServers extends AsyncDisposable {
  readonly one: Tabularium;
  readonly other: Tabularium;
}

/** Starts two servers. The first one has some data, as NDJSON. */
export async function startTwo(data: string): Promise<TwoServers> {
  const [one, other] = await Promise.all([startTabularium(), startTabularium()]);
  await one.import(bytesOf(data));
  return {
    one,
    other,
    async [Symbol.asyncDispose]() {
      await Promise.all([one.close(), other.close()]);
    },
  };
}

/** Returns the data of a server as NDJSON. */
export async function exported(server: Tabularium): Promise<string> {
  let text = '';
  for await (const part of await server.export()) text += Buffer.from(part).toString();
  return text;
}

async function* bytesOf(text: string): AsyncGenerator<string> {
  yield text;
}

/** Returns entities as NDJSON, with several partitions. */
export function manyRows(count: number, perPartition = 1000, table = 'Many'): string {
  const rows = Array.from({ length: count }, (_, at) => {
    const partition = String(Math.floor(at / perPartition)).padStart(5, '0');
    return `{"PartitionKey":"p${partition}","RowKey":"${String(at).padStart(8, '0')}","Age":${at % 100},"Total@odata.type":"Edm.Int64","Total":"${at}"}\n`;
  });
  return `{"$table":"${table}"}\n${rows.join('')}`;
}

/** Entities whose values, names or keys programs often change on their way. */
const odd: readonly string[] = [
  '"RowKey":"doubles","One":1.0,"Minus":-0.0,"Large":1E+300,"Tiny":5E-324,"Third":0.3333333333333333',
  '"RowKey":"not numbers","A@odata.type":"Edm.Double","A":"NaN","B@odata.type":"Edm.Double","B":"Infinity","C@odata.type":"Edm.Double","C":"-Infinity"',
  '"RowKey":"ticks","At@odata.type":"Edm.DateTime","At":"2026-01-02T03:04:05.1234567Z","Old@odata.type":"Edm.DateTime","Old":"1601-01-01T00:00:00Z"',
  '"RowKey":"integers","Min":-2147483648,"Max@odata.type":"Edm.Int64","Max":"9223372036854775807"',
  '"RowKey":"names","etag":"e","timestamp":"t","partitionKey":"p","rowKey":"r","odata":"o"',
  '"RowKey":"prototypes","__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d"',
  '"RowKey":"guid","G@odata.type":"Edm.Guid","G":"c9da6455-213d-42c9-9a79-3e9149a57833"',
  '"RowKey":"binary","B@odata.type":"Edm.Binary","B":"AAEC/w==","Empty@odata.type":"Edm.Binary","Empty":""',
  '"RowKey":"strings","Empty":"","Quotes":"\'\\"\\\\","Lines":"\\r\\n\\t\\u0000","Half":"\\ud800","Emoji":"\\ud83d\\ude00","Looks":"1.0"',
  '"RowKey":"it\'s 100% \\u00e9\\ud83d\\ude00","A":1',
  '"RowKey":"\\uffee","A":1',
  '"RowKey":"none"',
  '"RowKey":"","A":"empty key"',
];

/** A table with them, one with a policy and one without entities, as NDJSON. */
export const oddData = [
  '{"$table":"Bare"}',
  '{"$table":"Held","policies":[{"id":"read","start":"2026-01-01T00:00:00.0000000Z","expiry":"2027-01-01T00:00:00.0000000Z","permission":"r"}]}',
  '{"PartitionKey":"p","RowKey":"r","A":1}',
  '{"$table":"Odd"}',
  ...odd.map((members) => `{"PartitionKey":"odd",${members}}`),
  '{"PartitionKey":"","RowKey":"","A":"empty keys"}',
  '',
].join('\n');
