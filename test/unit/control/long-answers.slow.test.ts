import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { verbRow } from '../../../src/control/create-control.js';
import { Journal } from '../../../src/insight/journal/journal.js';
import { requestList } from '../../../src/verbs/journal.js';
import { recordOf } from '../../support/measures/journal-records.js';
import { shortenTurns } from '../../support/measures/short-turns.js';

const entries = 1000;

function fullJournal(): Journal {
  const journal = new Journal(entries);
  for (let at = 0; at < entries; at++) journal.observe(recordOf({ url: `/devstoreaccount1/T?$filter=A eq ${at}` }));
  return journal;
}

async function bodyOf(journal: Journal): Promise<Readable> {
  const row = verbRow(requestList, { journal, info: { version: '1' } } as never);
  const query = new URLSearchParams(`limit=${entries}`);
  const answer = await row.run({ path: row.path, params: {}, query, body: undefined });
  return Readable.from(typeof answer.body === 'string' ? [answer.body] : (answer.body as Readable));
}

describe('A long list of requests', () => {
  it('is written in pieces, which are one JSON value', async () => {
    const pieces = (await (await bodyOf(fullJournal())).toArray()).map(String);

    const { requests } = JSON.parse(pieces.join(''));
    expect(requests).toHaveLength(entries);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(128 * 1024);
  });

  it('lets other work be done between its entries', async () => {
    const body = await bodyOf(fullJournal());
    const restore = shortenTurns();
    let turns = 0;
    const count = () => {
      turns++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await body.toArray();
    clearImmediate(next);
    restore();
    expect(turns).toBeGreaterThanOrEqual(entries);
  });

  it('leaves out what is overwritten before the client reads it', async () => {
    const journal = fullJournal();
    const body = await bodyOf(journal);
    const pieces = body.iterator();
    const first = String((await pieces.next()).value);
    for (let at = 0; at < entries; at++) journal.observe(recordOf());
    let text = first;
    for await (const piece of pieces) text += String(piece);

    const { requests } = JSON.parse(text);
    expect(requests.length).toBeLessThan(entries);
  });
});
