import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readCsvRecords } from '../../../src/transfer/csv/read-csv-records.js';
import { runs } from '../../support/arbitrary/property-runs.js';

async function* cut(text: string, units: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += units) yield text.slice(at, at + units);
}

/** Returns the records of a text that arrives in pieces, or the error. */
async function recordsOf(text: string, units: number): Promise<unknown> {
  const records: unknown[] = [];
  try {
    for await (const part of readCsvRecords(cut(text, units))) records.push(...part);
  } catch (error) {
    return String(error);
  }
  return records;
}

/** What the records of CSV are made of, and what programs write before them. */
const sign = fc.constantFrom('"', '""', ',', ';', '\n', '\r\n', '\r', ' ', 'a', '#TYPE x\n', 'sep=;\n', 'sep=,\r\n');

it('A CSV file has the same records in pieces of any size', async () => {
  const text = fc.array(sign, { maxLength: 30 }).map((signs) => signs.join(''));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (text, units) => {
      expect(await recordsOf(text, units)).toEqual(await recordsOf(text, text.length || 1));
    }),
    { numRuns: runs(2000) },
  );
});
