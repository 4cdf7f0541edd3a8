import { expect, it } from 'vitest';
import { entryOf, inAtom, keys } from '../support/answers/atom-tools.js';
import { describeService } from '../support/servers/describe-service.js';

const bodyUnits = 4 * 1024 * 1024 - 2048;

/**
 * Time that one body of 4 MiB may take, with the client in this process. Sending it takes 25, and each of these took 350 to 1,500.
 * Unit: milliseconds of processor time.
 */
const mostMs = 200;

/** Fills a body with as many units of a text as it takes. */
function fill(start: string, text: string, end: string): string {
  return start + text.repeat(Math.floor(bodyUnits / Buffer.byteLength(text))) + end;
}

describeService('A body of 4 MiB that can only be rejected', ({ client, withTable }) => {
  const inJson = { headers: { 'Content-Type': 'application/json' } };
  const string = (text: string) => fill('{"PartitionKey":"p","RowKey":"r","A":"', text, '"}');
  const entry = (text: string) => entryOf(`${keys}<d:A>${fill('', text, '')}</d:A>`);
  const members = Array.from({ length: 150_000 }, (_, at) => `"P${at}":null`).join(',');

  it.each([
    ['members', 'TooManyProperties', `{"PartitionKey":"p","RowKey":"r",${members}}`, inJson],
    ['a string of é', 'EntityTooLarge', string('é'), inJson],
    ['a string of U+4E2D', 'EntityTooLarge', string('中'), inJson],
    ['a text in Atom', 'EntityTooLarge', entry('x'), inAtom],
    ['brackets in Atom', 'EntityTooLarge', entry('>'), inAtom],
    ['a text of é in Atom', 'EntityTooLarge', entry('é'), inAtom],
    ['a string of escapes', 'EntityTooLarge', string('\\u00e9'), inJson],
  ])('is rejected without much work: %s', async (_, code, body, options) => {
    const table = await withTable();
    const bytes = Buffer.from(body);

    // Other work of the process counts, too. The least of some tries has the least of it.
    const tries: number[] = [];
    while (tries.length < 3 || (Math.min(...tries) > mostMs && tries.length < 6)) {
      const before = process.cpuUsage();
      const answer = await client.post(`/${table}`, bytes, options);
      const { user, system } = process.cpuUsage(before);
      tries.push((user + system) / 1000);
      expect([answer.status, answer.body]).toEqual([400, expect.stringContaining(code)]);
    }
    expect(Math.min(...tries)).toBeLessThan(mostMs);
  });
});
