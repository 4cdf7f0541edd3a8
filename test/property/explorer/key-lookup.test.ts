import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeJsonString } from '../../../src/entity/stored/json-text.js';
import { prefixFilter, readKeys, writeKeys } from '../../../src/explorer/base/key-lookup.js';
import { compileFilter } from '../../../src/query/filter/evaluate-filter.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Signs at the edges of UTF-16, those with a meaning in a field or a filter, and others. */
const sign = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    '.',
    '*',
    '\\',
    "'",
    ' ',
    '(',
    '\u0000',
    '\ud7ff',
    '\u{10000}',
    '\u{103ff}',
    '\u{10ffff}',
    '\ue000',
    '\uffff',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);
const key = fc.array(sign, { maxLength: 5 }).map((signs) => signs.join(''));
const some = key.filter((text) => text !== '');

/** Writes a key as a part of a field: `\` before each sign. */
const plain = (text: string) => [...text].map((one) => `\\${one}`).join('');

/** Whether the service finds an entity with this RowKey. */
function finds(field: string, rowKey: string): boolean {
  return finding(writeKeys({ partition: '', row: field, rest: '' }), rowKey);
}

function finding(filter: string, rowKey: string): boolean {
  if (filter === '') return true;
  const parsed = parseFilter(filter);
  if (!parsed) throw new Error(`The service rejects ${filter}`);
  return compileFilter<string>(parsed, () => (row) => ({ type: 'Edm.String', json: writeJsonString(row) }))(rowKey);
}

describe('A field for a key', () => {
  it('finds the key that is written', () => {
    fc.assert(
      fc.property(some, key, (text, other) => {
        expect(finds(plain(text), text)).toBe(true);
        expect(finds(plain(text), other)).toBe(text === other);
      }),
      { numRuns: runs(300) },
    );
  });

  it('finds the keys that begin with a text, and no others', () => {
    fc.assert(
      fc.property(some, key, key, (prefix, more, other) => {
        expect(finds(`${plain(prefix)}*`, prefix + more)).toBe(true);
        expect(finds(`${plain(prefix)}*`, other)).toBe(other.startsWith(prefix));
        expect(finding(prefixFilter('RowKey', prefix), prefix + more)).toBe(true);
        expect(finding(prefixFilter('RowKey', prefix), other)).toBe(other.startsWith(prefix));
      }),
      { numRuns: runs(500) },
    );
  });

  it('finds the keys between two, with both', () => {
    fc.assert(
      fc.property(key, key, key, (from, to, other) => {
        const isFrom = other >= from;
        expect(finds(`${plain(from)}..${plain(to)}`, other)).toBe(isFrom && (to === '' || other <= to));
      }),
      { numRuns: runs(500) },
    );
  });

  it('writes a bound that a URL keeps', () => {
    fc.assert(
      fc.property(some, (prefix) => {
        const filter = writeKeys({ partition: `${plain(prefix)}*`, row: '', rest: '' });
        expect(decodeURIComponent(encodeURIComponent(filter))).toBe(filter);
      }),
      { numRuns: runs(200) },
    );
  });

  it('shows what the filter says, so that it writes the same filter again', () => {
    const form = fc.constantFrom<(from: string, to: string) => string>(
      (from) => plain(from),
      (from) => `${plain(from)}*`,
      (from, to) => `${plain(from)}..${plain(to)}`,
      (from) => from,
    );
    const rest = fc.constantFrom('', 'Age gt 5', "Name eq 'a and b'", "(Name eq 'x' or Age lt 3) and Brand eq 'or'");
    fc.assert(
      fc.property(form, key, key, form, key, rest, (first, from, to, second, other, conditions) => {
        const filter = writeKeys({ partition: first(from, to), row: second(other, to), rest: conditions });
        const read = readKeys(filter);
        expect(writeKeys(read)).toBe(filter);
        expect(read.rest).toBe(conditions);
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ["PartitionKey eq 'ab' and RowKey ge 'x' and RowKey lt 'y'", 'ab', 'x*', ''],
    ["RowKey ge 'a' and RowKey le 'b'", '', 'a..b', ''],
    ["Age gt 5 and PartitionKey eq 'o''clock'", "o'clock", '', 'Age gt 5'],
    ["PartitionKey eq 'a..b' and RowKey eq 'c*'", 'a\\..b', 'c\\*', ''],
    ["RowKey ge 'a'", '', 'a..', ''],
  ])('shows %s as two fields', (filter, partition, row, rest) => {
    expect(readKeys(filter)).toEqual({ partition, row, rest });
  });

  it.each([
    ["PartitionKey eq 'a' or RowKey eq 'b'", "(PartitionKey eq 'a' or RowKey eq 'b')"],
    ["not PartitionKey eq 'a' and RowKey eq 'b'", "(not PartitionKey eq 'a' and RowKey eq 'b')"],
    ["PartitionKey eq 'a", "(PartitionKey eq 'a)"],
    ["PartitionKey gt 'a'", "PartitionKey gt 'a'"],
    ["PartitionKey eq 'a' and PartitionKey eq 'b'", "PartitionKey eq 'a' and PartitionKey eq 'b'"],
    ["PartitionKey eq ''", "PartitionKey eq ''"],
    ["RowKey ge 'a' and RowKey lt 'c'", "RowKey ge 'a' and RowKey lt 'c'"],
  ])('is empty for %s, to which a key is added', (filter, rest) => {
    expect(readKeys(filter)).toEqual({ partition: '', row: '', rest: filter });
    expect(writeKeys({ ...readKeys(filter), row: 'r' })).toBe(`RowKey eq 'r' and ${rest}`);
  });
});
