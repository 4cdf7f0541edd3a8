/**
 * Anti-pattern: log data
 *
 * Problem: A table holds the logs of many servers, and someone needs the errors between 15:04 and 15:06. Partitions by minute
 * make the last one hot; partitions by server make the question a table scan.
 *
 * | where | name or keys | what it is |
 * | --- | --- | --- |
 * | `ByMinute` | `2026-11-02T15:04`, `000042` | a message, in the partition of its minute |
 * | `ByServer` | `web1`, `2026-11-02T15:04:20_000042` | the same message, in the partition of its server |
 * | blob | `2026-11-02T15:04/web1.log` | instead: the messages of a server and a minute, as lines |
 *
 * Instead: Append lines to blobs whose names start with the time. A time span is then a list of names.
 *
 * Source: Table design guide, "Log data anti-pattern".
 */
import { odata, type TableClient } from '@azure/data-tables';
import { expect } from 'vitest';
import { all } from '../../support/answers/sdk-answers.js';
import { describeAntiPattern, query, writes } from '../../support/docs/describe-pattern.js';
import { BlobStandIn } from '../../support/servers/blob-stand-in.js';

interface Message {
  readonly id: string;
  readonly server: string;
  readonly at: string; // as 2026-11-02T15:04:20
  readonly level: 'info' | 'error';
}

const logByMinute = (log: TableClient, { id, at, ...rest }: Message) =>
  log.createEntity({ partitionKey: at.slice(0, 16), rowKey: id, ...rest });

const errorsByMinute = (log: TableClient, from: string, below: string) =>
  all(
    log.listEntities({
      queryOptions: { filter: odata`PartitionKey ge ${from} and PartitionKey lt ${below} and level eq 'error'` },
    }),
  );

const logByServer = (log: TableClient, { id, server, at, level }: Message) =>
  log.createEntity({ partitionKey: server, rowKey: `${at}_${id}`, level });

const errorsByServer = (log: TableClient, from: string, below: string) =>
  all(
    log.listEntities({
      queryOptions: { filter: odata`RowKey ge ${from} and RowKey lt ${below} and level eq 'error'` },
    }),
  );

function logToBlob(log: BlobStandIn, { id, server, at, level }: Message) {
  const name = `${at.slice(0, 16)}/${server}.log`;
  log.upload(name, Buffer.concat([log.download(name) ?? Buffer.of(), Buffer.from(`${id} ${level}\n`)]));
}

async function errorsInBlobs(log: BlobStandIn, from: string, below: string) {
  const names = log.list().filter((name) => name >= from && name < below);
  return names.flatMap((name) => (log.download(name)?.toString() ?? '').match(/^.* error$/gm) ?? []);
}

describeAntiPattern(
  import.meta.url,
  ['table-scan/rowkey-only warn', 'partition-scan/range info'],
  async ({ table, step, server }) => {
    const [byMinute, byServer, blobs] = [await table('ByMinute'), await table('ByServer'), new BlobStandIn()];
    server.pass(6 * 3_600_000);
    const next = (number: number): Message => ({
      id: String(number).padStart(6, '0'),
      server: `web${number % 4}`,
      at: new Date().toISOString().slice(0, 19),
      level: number % 9 === 0 ? 'error' : 'info',
    });
    for (let number = 0; number < 120; number++) {
      const message = next(number);
      await logByMinute(byMinute, message);
      await logByServer(byServer, message);
      logToBlob(blobs, message);
      server.pass(5000);
    }
    await step('log to the minute', writes(1), () => logByMinute(byMinute, next(120)));
    await step('log to the server', writes(1), () => logByServer(byServer, next(120)));

    const span = ['2026-11-02T15:04', '2026-11-02T15:06'] as const;
    const minutes = await step('find errors by minute', query('partition-range', 24, 2), () =>
      errorsByMinute(byMinute, ...span),
    );
    const servers = await step('find errors by server', query('table-scan', 121, 2), () =>
      errorsByServer(byServer, ...span),
    );
    const lines = await step('find errors in blobs', writes(0), () => errorsInBlobs(blobs, ...span));
    expect([minutes.length, servers.length, lines.length]).toEqual([2, 2, 2]);
  },
);
