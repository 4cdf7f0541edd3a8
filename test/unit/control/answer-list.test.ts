import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { answerLines } from '../../../src/control/answer-list.js';
import { requestRows } from '../../../src/control/requests.js';
import { Journal } from '../../../src/insight/journal/journal.js';
import { recordOf } from '../../support/journal-records.js';
import { shortenTurns } from '../../support/short-turns.js';

const entries = 1000;

function fullJournal(): Journal {
  const journal = new Journal(entries);
  for (let at = 0; at < entries; at++) journal.observe(recordOf({ url: `/devstoreaccount1/T?$filter=A eq ${at}` }));
  return journal;
}

async function bodyOf(journal: Journal, path: string): Promise<Readable> {
  const row = requestRows(journal).find((one) => one.method === 'GET' && one.path === path);
  const answer = await row?.run({ path, params: {}, query: new URLSearchParams(`limit=${entries}`), body: undefined });
  return Readable.from(typeof answer?.body === 'string' ? [answer.body] : (answer?.body as Readable));
}

describe.each(['/_tabularium/requests', '/_tabularium/requests.har'])('A long list at %s', (path) => {
  it('is written in pieces, which are one JSON value', async () => {
    const pieces = (await (await bodyOf(fullJournal(), path)).toArray()).map(String);

    const { requests, log } = JSON.parse(pieces.join(''));
    expect(requests ?? log.entries).toHaveLength(entries);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(128 * 1024);
  });

  it('lets other work be done between its entries', async () => {
    const body = await bodyOf(fullJournal(), path);
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
    const body = await bodyOf(journal, path);
    const pieces = body.iterator();
    const first = String((await pieces.next()).value);
    for (let at = 0; at < entries; at++) journal.observe(recordOf());
    let text = first;
    for await (const piece of pieces) text += String(piece);

    const { requests, log } = JSON.parse(text);
    expect((requests ?? log.entries).length).toBeLessThan(entries);
  });
});

it('writes lines in pieces, with other work between them', async () => {
  const lines = Array.from({ length: 10_000 }, (_, at) => `{"at":${at},"text":"${'x'.repeat(100)}"}\n`);
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);

  const pieces = (await (answerLines(lines).body as Readable).toArray()).map(String);

  clearImmediate(next);
  expect(pieces.join('')).toBe(lines.join(''));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(128 * 1024);
  expect(turns).toBeGreaterThanOrEqual(pieces.length - 1);
});
