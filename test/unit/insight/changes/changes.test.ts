import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import {
  type ChangeWish,
  followChanges,
  PlaceLost,
  selectChanges,
  UnknownPlace,
} from '../../../../src/insight/journal/changes/select-changes.js';
import { Journal } from '../../../../src/insight/journal/journal.js';
import { writtenTo } from '../../../support/measures/journal-records.js';

const keyOf = (rowKey: string) => ({ partitionKey: 'p', rowKey });
const wishOf = (query: string) => Object.fromEntries(new URLSearchParams(query)) as ChangeWish;
const rowsOf = async (journal: Journal, query = '') =>
  (await selectChanges(journal, wishOf(query))).changes.map(({ rowKey }) => rowKey);

/** Writes one entity in a transaction of its own. */
function write(journal: Journal, rowKey: string, table = 'People', account = 'one'): void {
  journal.observeCommit(writtenTo([keyOf(rowKey)], { table, account }));
}

/** Returns the values on the lines of a stream, without empty lines. */
async function* valuesOf(stream: Readable): AsyncGenerator<Record<string, unknown>> {
  for await (const line of createInterface(stream)) if (line !== '') yield JSON.parse(line);
}

describe('The changes of a journal', () => {
  it('are selected by the marks around them', async () => {
    const journal = new Journal(10);
    write(journal, 'before');
    expect(journal.mark('first')).toEqual({ next: 1, seq: 1 });
    write(journal, 'a');
    write(journal, 'b');
    journal.mark('second');
    write(journal, 'after');
    expect(await rowsOf(journal, 'since=first&until=second')).toEqual(['a', 'b']);
    expect(await rowsOf(journal, 'since=second')).toEqual(['after']);
    expect(await rowsOf(journal, 'since=2&until=3')).toEqual(['b']);
    expect(await rowsOf(journal)).toEqual(['before', 'a', 'b', 'after']);
  });

  it('are after the newest place of a mark that is set twice', async () => {
    const journal = new Journal(10);
    journal.mark('file');
    write(journal, 'a');
    journal.mark('file');
    write(journal, 'b');
    expect(await rowsOf(journal, 'since=file')).toEqual(['b']);
  });

  it('are selected by account, and by table in any letter case', async () => {
    const journal = new Journal(10);
    write(journal, 'a', 'People', 'one');
    write(journal, 'b', 'Places', 'one');
    write(journal, 'c', 'People', 'two');
    expect(await rowsOf(journal, 'table=PEOPLE')).toEqual(['a', 'c']);
    expect(await rowsOf(journal, 'account=one&table=people')).toEqual(['a']);
  });

  it('have the ETag that the entity got, and no values', async () => {
    const journal = new Journal(10, () => 0);
    journal.mark('a test');
    write(journal, 'r');
    expect((await selectChanges(journal, {})).changes).toEqual([
      {
        ...{ seq: 1, at: '1970-01-01T00:00:00.000Z', account: 'one', table: 'People', partitionKey: 'p', rowKey: 'r' },
        ...{ kind: 'insert', isNew: true, mark: 'a test' },
        etag: `W/"datetime'2026-11-22T10%3A00%3A00Z'"`,
      },
    ]);
  });

  it('are rejected after a place whose changes were overwritten, with the oldest that is kept', async () => {
    const journal = new Journal(10);
    journal.mark('early');
    for (let at = 0; at < 8200; at++) write(journal, String(at));
    await expect(rowsOf(journal, 'since=early')).rejects.toThrow(PlaceLost);
    await expect(rowsOf(journal, 'since=early')).rejects.toThrow(/overwritten.*position 9\./);
    expect(await rowsOf(journal, 'since=8&until=9')).toEqual(['8']);
    expect((await rowsOf(journal))[0]).toBe('8');
  });

  it('are rejected after a place that the server does not have yet', async () => {
    await expect(rowsOf(new Journal(10), 'since=5')).rejects.toThrow(/has no change 5; it may have restarted/);
  });

  it('are rejected after a mark that was never set, or was forgotten among 1,024 others', async () => {
    const journal = new Journal(10);
    for (let at = 0; at <= 1024; at++) journal.mark(`test ${at}`);
    await expect(rowsOf(journal, 'since=test+0')).rejects.toThrow(UnknownPlace);
    await expect(rowsOf(journal, 'since=other')).rejects.toThrow("There is no mark 'other'.");
    expect(await rowsOf(journal, 'since=test+1')).toEqual([]);
  });
});

describe('A stream of changes', () => {
  it('has what is kept, and then each change as it comes, until the journal is closed', async () => {
    const journal = new Journal(10);
    write(journal, 'a');
    const values = valuesOf(followChanges(journal, {}));
    expect((await values.next()).value).toMatchObject({ rowKey: 'a' });
    write(journal, 'b');
    expect((await values.next()).value).toMatchObject({ rowKey: 'b' });
    journal.close();
    expect((await values.next()).done).toBe(true);
    expect(journal.listeners).toBe(0);
  });

  it('reports to a slow client how many changes were overwritten, and continues with the oldest', async () => {
    const journal = new Journal(10);
    const stream = followChanges(journal, {});
    for (let at = 1; at <= 8200; at++) write(journal, String(at));
    const values = valuesOf(stream);
    expect((await values.next()).value).toEqual({ dropped: 8 });
    expect((await values.next()).value).toMatchObject({ rowKey: '9' });
    stream.destroy();
  });

  it('sends an empty line every 15 seconds when there is nothing else', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const stream = followChanges(new Journal(10), {});
      const chunks = stream[Symbol.asyncIterator]();
      const silent = chunks.next();
      vi.advanceTimersByTime(15_000);
      expect(String((await silent).value)).toBe('\n');
      stream.destroy();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
