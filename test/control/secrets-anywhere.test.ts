import { request } from 'node:http';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { startServer } from '../../src/server.js';
import { defaultConfig } from '../../src/settings/config.js';
import { runs } from '../support/arbitrary/property-runs.js';

const base64 = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((some) => Buffer.from(some).toString('base64'));
const word = fc.stringMatching(/^[\w-]{20,40}$/);

/** What a client keeps secret, and how it may write that. */
const sent = fc.oneof(
  base64(32).map((secret) => [secret, secret] as const),
  base64(64).map((secret) => [secret, secret] as const),
  base64(32).map((secret) => [secret, `SharedKey devstoreaccount1:${secret}`] as const),
  word.map((secret) => [secret, `Bearer ${secret}`] as const),
  word.map((secret) => [secret, `sig=${secret}`] as const),
  fc.tuple(word, word).map(([head, tail]) => [tail, `eyJ${head}.${head}.${tail}`] as const),
);

const headers = [
  ...[
    'User-Agent',
    'x-ms-client-request-id',
    'If-Match',
    'If-None-Match',
    'x-ms-date',
    'Date',
    'x-ms-version',
    'Accept',
  ],
  ...['Content-Type', 'Prefer', 'Origin', 'X-HTTP-Method', 'Authorization', 'x-tabularium-fault', 'Host'],
];
const inTarget: readonly ((text: string) => string)[] = [
  (text) => `/devstoreaccount1/${text}`,
  (text) => `/devstoreaccount1/Rows(PartitionKey='${text}',RowKey='r')`,
  (text) => `/devstoreaccount1/Rows?$filter=Url%20eq%20%27${text}%27`,
  (text) => `/devstoreaccount1/Rows?x=${text}&comp=list`,
  (text) => `/${text}/Rows`,
];

/** A request with a secret somewhere. */
const requests = sent.chain(([secret, text]) =>
  fc
    .oneof(
      fc.constantFrom(...headers).map((name) => ({ path: '/devstoreaccount1/Rows', headers: { [name]: text } })),
      fc.tuple(fc.constantFrom(...inTarget), fc.integer({ min: 1, max: 2 })).map(([write, times]) => {
        let encoded = text;
        for (let time = 0; time < times; time++) encoded = encodeURIComponent(encoded);
        return { path: write(encoded), headers: {} };
      }),
    )
    .map((options) => ({ secret, options })),
);

it('no secret is written to the log or the journal, wherever a request has it', async () => {
  const lines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) });
  const server = await startServer({ ...defaultConfig, port: 0, inMemory: true }, logger);
  const url = new URL(server.url);
  const send = (options: { path: string; headers: Record<string, string> }) =>
    new Promise<void>((resolve, reject) => {
      const made = request({ host: url.hostname, port: url.port, agent: false, ...options }, (answer) => {
        answer.resume().once('end', resolve);
      });
      made.once('error', reject).end();
    });
  const read = async (path: string) => (await fetch(`${server.url}/_tabularium/requests${path}`)).text();
  try {
    await fc.assert(
      fc.asyncProperty(requests, async ({ secret, options }) => {
        lines.length = 0;
        await send(options);
        const entry = await read('?limit=1');
        const { CorrelationId } = JSON.parse(entry).requests[0];
        const written = [lines.join(''), entry, await read(`/${CorrelationId}/curl`)];
        for (const text of written) {
          expect(text).not.toBe('');
          for (const part of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]) {
            expect(text).not.toContain(part);
          }
        }
      }),
      { numRuns: runs(60) },
    );
  } finally {
    await server.close();
  }
});
