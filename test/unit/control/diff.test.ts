import { Readable } from 'node:stream';
import { setImmediate as otherWork } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { printDiff } from '../../../src/commands/diff.js';
import { run } from '../../../src/commands/program.js';
import type { ControlRow } from '../../../src/control/control-row.js';
import { diffRow } from '../../../src/control/diff.js';
import { StateFault } from '../../../src/state/state-fault.js';
import { describeService } from '../../support/describe-service.js';
import { configOf } from '../../support/parse-command.js';

describeService('A diff of a server', ({ client, service, withTable }) => {
  const ask = async (query: string) => {
    const answer = await fetch(`${service().url}/_tabularium/diff${query}`);
    return { status: answer.status, body: await answer.json() };
  };
  const take = (name: string) =>
    fetch(`${service().url}/_tabularium/snapshots/${name}`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });

  it('is answered with the entities, and printed by the command', async () => {
    const table = await withTable();
    await take('base');
    await client.post(`/${table}`, { PartitionKey: 'p', RowKey: 'r', N: 1 });

    const added = { kind: 'added', table, partitionKey: 'p', rowKey: 'r', after: { RowKey: 'r', N: 1 } };
    expect(await ask('?from=base')).toMatchObject({ status: 200, body: { differences: [added], more: false } });
    const other = await withTable();
    expect(await ask(`?from=base&table=${other}`)).toMatchObject({ body: { differences: [{ kind: 'table-added' }] } });
    await client.delete(`/Tables('${other}')`);

    const lines: string[] = [];
    const config = configOf(['--tablePort', new URL(service().url).port]);
    expect(await printDiff(config, { from: 'base' }, (line) => lines.push(line))).toBe(true);
    expect(lines).toEqual([`+ ${table} "p" "r"`]);
    await take('base');
    expect(await printDiff(config, { from: 'base' }, () => {})).toBe(false);
  });

  it.each([
    [0, ['devstoreaccount1', 'devstoreaccount1']],
    [1, ['base']],
    [2, ['never']],
    [2, []],
    [2, ['base', '--unknown']],
    [2, ['base', '--limit', 'many']],
    [2, ['base', '--url', 'nowhere']],
    [0, ['--help']],
  ])('ends with the exit code %d for %j', async (code, words) => {
    await take('base');
    await withTable();
    const outputs = [process.stdout, process.stderr].map((one) => vi.spyOn(one, 'write').mockReturnValue(true));
    const port = new URL(service().url).port;
    expect(await run(['', 'tabularium', 'diff', '--tablePort', port, ...words], {})).toBe(code);
    for (const output of outputs) output.mockRestore();
  });

  it('is not made for a request that wants only the head', async () => {
    const answer = await fetch(`${service().url}/_tabularium/diff?from=${service().account.name}`, {
      method: 'HEAD',
    });
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET']);
  });

  it.each([
    ['', 400, /Name the earlier state/],
    ['?from=base&tabel=x', 400, /There is no 'tabel' here/],
    ['?from=missing', 404, /no snapshot missing/],
    ['?from=base&table=Misspelled', 404, /There is no table Misspelled/],
    ['?from=base&limit=many', 400, /1 to 10000 differences, not NaN/],
  ])('is refused for %s', async (query, status, error) => {
    await take('base');
    expect(await ask(query)).toEqual({ status, body: { error: expect.stringMatching(error) } });
  });
});

describe('Diffs of many clients', () => {
  const report = { differences: [{ kind: 'table-added', table: 'T' }], more: false } as const;
  /** A client that asks for a diff, and what says that it has read the answer. */
  const askAs = (row: ControlRow) => {
    const client = new AbortController();
    const query = new URLSearchParams('from=base');
    const answer = Promise.resolve(row.run({ path: row.path, query, gone: client.signal, body: undefined }));
    return { answer, status: answer.then(({ status }) => status), leave: () => client.abort() };
  };

  it('are made one at a time', async () => {
    let [running, most] = [0, 0];
    const row = diffRow({
      async diff() {
        most = Math.max(most, ++running);
        await otherWork();
        running--;
        return report;
      },
    });
    const clients = Array.from({ length: 4 }, () => askAs(row));
    expect(await Promise.all(clients.map(({ status }) => status))).toEqual([200, 200, 200, 200]);
    expect(most).toBe(1);
  });

  it('wait while four are unread', async () => {
    const row = diffRow({ diff: async () => report });
    const clients = Array.from({ length: 4 }, () => askAs(row));
    await Promise.all(clients.map(({ answer }) => answer));
    const fifth = askAs(row);
    expect(await Promise.race([fifth.status, otherWork('waits')])).toBe('waits');
    clients[0]?.leave();
    expect(await fifth.status).toBe(200);
  });

  it('are rejected with 503 if four stay unread', async () => {
    const row = diffRow({ diff: async () => report }, 0);
    const clients = Array.from({ length: 5 }, () => askAs(row));
    expect(await Promise.all(clients.map(({ status }) => status))).toEqual([200, 200, 200, 200, 503]);
    expect((await clients[4]?.answer)?.body).toContain('4 diffs are not read to their end yet.');
  });

  it('are not made for a client that left while it waited, nor stopped by one that failed', async () => {
    let made = 0;
    const row = diffRow({
      async diff() {
        if (++made === 1) throw new StateFault('missing', 'There is no snapshot base.');
        return report;
      },
    });
    const [failed, left, last] = [askAs(row), askAs(row), askAs(row)];
    left.leave();
    expect([await failed.status, await last.status, made]).toEqual([404, 200, 2]);
  });

  it('are written in pieces', async () => {
    const differences = Array.from({ length: 1000 }, (_, at) => ({
      ...report.differences[0],
      after: { at, A: 'x'.repeat(500) },
    }));
    const { body } = await askAs(diffRow({ diff: async () => ({ differences, more: true }) })).answer;
    const pieces = (await Readable.from(typeof body === 'string' ? [body] : body).toArray()).map(String);
    expect(JSON.parse(pieces.join(''))).toEqual({ differences, more: true });
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(128 * 1024);
  });
});
