import { Readable } from 'node:stream';
import { setImmediate as otherWork } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { answerObject } from '../../../src/control/verbs/answer-object.js';
import { DiffTurns } from '../../../src/state/diff-turns.js';
import { StateFault } from '../../../src/state/state-fault.js';
import { runLine } from '../../support/programs/run-line.js';
import { describeService } from '../../support/servers/describe-service.js';

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

    const line = ['diff', 'base', '--url', service().url];
    expect(await runLine(line)).toEqual({ code: 1, out: `+ ${table} "p" "r"\n`, errors: '' });
    await take('base');
    expect(await runLine(line)).toEqual({ code: 0, out: '', errors: '' });
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
    expect(await runLine(['diff', ...words], { TABULARIUM_URL: service().url })).toMatchObject({ code });
  });

  it('is not made for a request that wants only the head', async () => {
    const answer = await fetch(`${service().url}/_tabularium/diff?from=${service().account.name}`, {
      method: 'HEAD',
    });
    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'GET']);
  });

  it.each([
    ['', 400, /'from' is missing, such as "base"\./],
    ['?from=base&tabel=x', 400, /There is no 'tabel'\. Did you mean 'table'\?/],
    ['?from=missing', 404, /no snapshot missing/],
    ['?from=base&table=Misspelled', 404, /There is no table Misspelled/],
    ['?from=base&limit=many', 400, /'limit' must be a number; got 'many'\./],
  ])('is rejected for %s', async (query, status, error) => {
    await take('base');
    expect(await ask(query)).toEqual({ status, body: { error: expect.stringMatching(error) } });
  });
});

describe('Diffs of many clients', () => {
  /** A client that asks for a diff, and what says that it has read the answer. */
  const askAs = (diffs: DiffTurns, make: () => Promise<unknown> = async () => 'made') => {
    const client = new AbortController();
    const answer = diffs.take(make, client.signal).catch((error: StateFault) => error.message);
    return { answer, leave: () => client.abort() };
  };

  it('are made one at a time', async () => {
    let [running, most] = [0, 0];
    const make = async () => {
      most = Math.max(most, ++running);
      await otherWork();
      running--;
      return 'made';
    };
    const diffs = new DiffTurns();
    const clients = Array.from({ length: 4 }, () => askAs(diffs, make));
    expect(await Promise.all(clients.map(({ answer }) => answer))).toEqual(['made', 'made', 'made', 'made']);
    expect(most).toBe(1);
  });

  it('wait while four are unread', async () => {
    const diffs = new DiffTurns();
    const clients = Array.from({ length: 4 }, () => askAs(diffs));
    await Promise.all(clients.map(({ answer }) => answer));
    const fifth = askAs(diffs);
    expect(await Promise.race([fifth.answer, otherWork('waits')])).toBe('waits');
    clients[0]?.leave();
    expect(await fifth.answer).toBe('made');
  });

  it('are rejected if four stay unread', async () => {
    const diffs = new DiffTurns(0);
    const clients = Array.from({ length: 5 }, () => askAs(diffs));
    const rejected = '4 diffs are not read to their end yet. Read them, or try again later.';
    expect(await Promise.all(clients.map(({ answer }) => answer))).toEqual(['made', 'made', 'made', 'made', rejected]);
  });

  it('are not made for a client that left while it waited, nor stopped by one that failed', async () => {
    let made = 0;
    const make = async () => {
      if (++made === 1) throw new StateFault('missing', 'There is no snapshot base.');
      return 'made';
    };
    const diffs = new DiffTurns();
    const [failed, left, last] = [askAs(diffs, make), askAs(diffs, make), askAs(diffs, make)];
    left.leave();
    expect([await failed.answer, await last.answer, made]).toEqual(['There is no snapshot base.', 'made', 2]);
  });
});

it('An object with a long list is written in pieces', async () => {
  const differences = Array.from({ length: 1000 }, (_, at) => ({
    kind: 'added',
    table: 'T',
    after: 'x'.repeat(500),
    at,
  }));
  const { body } = answerObject({ differences, more: true });
  const pieces = (await Readable.from(typeof body === 'string' ? [body] : body).toArray()).map(String);
  expect(JSON.parse(pieces.join(''))).toEqual({ differences, more: true });
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(128 * 1024);
});
