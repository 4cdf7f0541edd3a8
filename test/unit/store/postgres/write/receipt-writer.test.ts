import type pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Connection } from '../../../../../src/store/postgres/connection/connection.js';
import { registerWriter, type Statement, takeNumber } from '../../../../../src/store/postgres/schema/statements.js';
import { ReceiptWriter } from '../../../../../src/store/postgres/write/receipt-writer.js';
import { StoreUnavailable } from '../../../../../src/store/store-unavailable.js';
import { databaseError } from '../../../../support/postgres/database-error.js';

const client = {} as pg.Client;
const write: Statement = { name: 'write', text: '' };

/** Returns a writer on a connection that always opens, and answers statements with `run`. */
function writerOn(run: (statement: Statement, values: unknown[]) => unknown, doubt = () => {}): ReceiptWriter {
  const connection = {
    open: async () => client,
    run: async (_: pg.Client, statement: Statement, values: unknown[]) => run(statement, values),
    doubt,
  };
  return new ReceiptWriter(connection as unknown as Connection, { successes: 0, failures: 0, conflicts: 0 });
}

describe('a writer', () => {
  it('that can connect but not register gives up when its time is over', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    let attempts = 0;
    // Too many connections: every one of them opens, and no statement succeeds.
    const writer = writerOn(() => {
      now += 5;
      // Ends a writer that never gives up.
      throw databaseError(++attempts > 1000 ? '42501' : '53300');
    });
    await expect(writer.ready(20)).rejects.toBeInstanceOf(StoreUnavailable);
    expect(attempts).toBe(4);
  });

  it('gives up at the second connection that takes no writes, and tries one for each later write', async () => {
    let attempts = 0;
    let doubts = 0;
    let isReadOnly = true;
    const run = () => {
      attempts++;
      if (isReadOnly) throw databaseError('25006');
      return { rowCount: 1, rows: [{ answer: '1' }] };
    };
    const writer = writerOn(run, () => doubts++);
    const inAnHour = performance.now() + 3_600_000;
    await expect(writer.ready(inAnHour)).rejects.toMatchObject({ outcome: 'not-done' });
    expect(attempts).toBe(2);
    await expect(writer.ready(inAnHour)).rejects.toMatchObject({ outcome: 'not-done' });
    expect(attempts).toBe(3);
    // Every connection drops its session once, and not with each later write.
    expect(doubts).toBe(1);

    isReadOnly = false;
    expect(await writer.write(await writer.ready(inAnHour), write, [], inAnHour)).toBe('1');
    isReadOnly = true;
    // The first connection may lead to a server that has become a standby.
    await expect(writer.write(client, write, [], inAnHour)).rejects.toMatchObject({ name: 'Conflict' });
    await expect(writer.write(client, write, [], inAnHour)).rejects.toMatchObject({ outcome: 'not-done' });
    expect(doubts).toBe(2);
  });

  it('takes a new row after some thousand writes, and removes the old one', async () => {
    const registered: unknown[][] = [];
    const used = new Map<unknown, number>();
    const writer = writerOn((statement, values) => {
      if (statement === registerWriter) registered.push(values);
      else used.set(values[0], (used.get(values[0]) ?? 0) + 1);
      return { rowCount: 1, rows: [{ answer: '1' }] };
    });
    const inAnHour = performance.now() + 3_600_000;
    for (let at = 0; at < 10_000; at++) {
      await writer.write(await writer.ready(inAnHour), write, [], inAnHour);
    }
    expect(Math.max(...used.values())).toBeLessThan(5000);
    expect(registered.map(([id]) => id)).toEqual([...used.keys()]);
    expect(registered.map(([, old]) => old)).toEqual([null, ...[...used.keys()].slice(0, -1)]);
  });

  it('returns the answer of a write that turns out to be made after its caller was told that nothing is known', async () => {
    const run = (statement: Statement) => {
      if (statement === registerWriter) return { rowCount: 1, rows: [] };
      if (statement === takeNumber) return { rowCount: 0, rows: [] };
      return { rowCount: 1, rows: [{ answer: '12345' }] };
    };
    let isLost = false;
    const writer = writerOn((statement) => {
      if (isLost) throw new Error('the connection was lost');
      return run(statement);
    });
    await writer.ready(performance.now());
    isLost = true;
    await expect(writer.write(client, write, [], performance.now())).rejects.toMatchObject({ outcome: 'unknown' });
    expect(writer.takeLateAnswer()).toBeUndefined();

    isLost = false;
    await writer.ready(performance.now());
    expect(writer.takeLateAnswer()).toBe('12345');
    expect(writer.takeLateAnswer()).toBeUndefined();
  });
});
