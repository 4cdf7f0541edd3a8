import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameEntity } from '../../../src/copy/rows/canonical-entity.js';
import { rowChanger } from '../../../src/copy/rows/change-row.js';
import { cutRow, cutRows } from '../../../src/copy/rows/cut-rows.js';
import { maskValue } from '../../../src/copy/rows/mask-value.js';
import { membersOf, writeMembers } from '../../../src/copy/rows/row.js';
import { addRow, addSum, emptySum, rowHasher, sumText } from '../../../src/copy/rows/sum-rows.js';
import { writeEntityText } from '../../../src/entity/stored/entity.js';
import { anyText, entityKey, properties } from '../../support/arbitrary/arbitraries.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Hashes the rows of all tests, as a table has many kinds of them. */
const hashRow = rowHasher();

/** An entity as a service sends it. */
const sentEntity = fc
  .record({ key: entityKey, properties })
  .map(({ key, properties }) => ({ key, text: writeEntityText(key, '2026-11-28T10:00:00.1234567Z', properties) }));

/** Returns the members of an entity that a copy keeps, with their texts. */
const keptMembers = (text: string) =>
  membersOf(text).filter(({ name }) => name !== 'Timestamp' && !name.startsWith('odata.'));

describe('An entity that is cut out of a page', () => {
  it('has the keys and the members that it was sent with, except its ETag and Timestamp', () => {
    fc.assert(
      fc.property(fc.array(sentEntity, { maxLength: 5 }), (entities) => {
        const page = `{"odata.metadata":"http://h/$metadata#T","value":[${entities.map(({ text }) => text).join()}]}`;
        const rows = cutRows(page);
        expect(rows.map(({ partitionKey, rowKey }) => ({ partitionKey, rowKey }))).toEqual(
          entities.map(({ key }) => key),
        );
        expect(rows.map(({ text }) => membersOf(text))).toEqual(entities.map(({ text }) => keptMembers(text)));
        for (const { text } of rows) expect(() => JSON.parse(text)).not.toThrow();
      }),
      { numRuns: runs(300) },
    );
  });

  it('is the same with white space around its parts', () => {
    fc.assert(
      fc.property(sentEntity, fc.constantFrom(' ', '\n  ', '\t'), ({ text }, space) => {
        const spaced = `{${membersOf(text).map(({ name, value }) => `${space}${JSON.stringify(name)}${space}:${space}${value}${space}`)}}`;
        expect(membersOf(cutRow(spaced, 0).row.text)).toEqual(keptMembers(text));
      }),
      { numRuns: runs(200) },
    );
  });

  it('is rejected at every place where the page is cut off', () => {
    fc.assert(
      fc.property(sentEntity, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), ({ text }, part) => {
        const page = `{"value":[${text}]}`;
        expect(() => cutRows(page.slice(0, Math.floor(page.length * part)))).toThrow(SyntaxError);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('The hash of an entity', () => {
  it('does not depend on the order of its properties', () => {
    fc.assert(
      fc.property(sentEntity, ({ text }) => {
        const { row } = cutRow(text, 0);
        const values = membersOf(row.text).filter(({ name }) => !name.endsWith('@odata.type'));
        const types = membersOf(row.text).filter(({ name }) => name.endsWith('@odata.type'));
        const turned = { ...row, text: writeMembers([...values.reverse(), ...types]) };
        expect(hashRow(turned)).toEqual(hashRow(row));
        expect(rowHasher()(row)).toEqual(hashRow(row));
        expect(isSameEntity(turned.text, row.text)).toBe(true);
      }),
      { numRuns: runs(300) },
    );
  });

  it('differs if a value, a type or a name differs', () => {
    const text = (member: string) => `{"PartitionKey":"p","RowKey":"r",${member}}`;
    const members = ['"A":1', '"A":1.0', '"A":"1"', '"A":true', '"A":-0.0', '"A":0.0', '"B":1', '"A":"1","B":"2"'];
    const typed = ['Int64', 'Binary', 'Guid', 'DateTime', 'Double'].map(
      (type) => `"A@odata.type":"Edm.${type}","A":"1"`,
    );
    const all = [...members, ...typed, '"A":"1\\u0000B=2"'].map((member) =>
      hashRow({ partitionKey: 'p', rowKey: 'r', text: text(member) }),
    );
    // A Double may be written as a string.
    expect(new Set(all).size).toBe(all.length - 1);
  });

  it.each([
    ['"A@odata.type":"Edm.Int64","A":"0007"', '"A@odata.type":"Edm.Int64","A":"7"'],
    [
      '"A@odata.type":"Edm.DateTime","A":"2026-01-02T03:04:05.1200000Z"',
      '"A@odata.type":"Edm.DateTime","A":"2026-01-02T03:04:05.12Z"',
    ],
    [
      '"A@odata.type":"Edm.DateTime","A":"2026-01-02T03:04:05.0000000Z"',
      '"A@odata.type":"Edm.DateTime","A":"2026-01-02T03:04:05Z"',
    ],
    ['"A":5E-324', '"A":4.94065645841247E-324'],
    ['"A":1.0', '"A@odata.type":"Edm.Double","A":1'],
    ['"A":"\\u00e9"', '"A":"é"'],
    ['"A":"\\/"', '"A":"/"'],
    [
      '"A@odata.type":"Edm.Guid","A":"C9DA6455-213D-42C9-9A79-3E9149A57833"',
      '"A@odata.type":"Edm.Guid","A":"c9da6455-213d-42c9-9a79-3e9149a57833"',
    ],
  ])('is the same for %s and %s', (one, other) => {
    expect(isSameEntity(`{${one}}`, `{${other}}`)).toBe(true);
  });

  it('is that of its text if no storage account would read it', () => {
    const members = Array.from({ length: 300 }, (_, at) => `"P${at}":${at}.0`);
    const [text, turned, other] = [members, members.toReversed(), ['"P0":"x"', ...members.slice(1)]].map(
      (all) => `{"PartitionKey":"p","RowKey":"r",${all}}`,
    ) as [string, string, string];
    expect(isSameEntity(text, turned)).toBe(true);
    expect(isSameEntity(text, other)).toBe(false);
  });

  it('differs in the sum if rows exchange a property', () => {
    const sumOf = (...texts: string[]) => {
      const sum = emptySum();
      for (const text of texts) addRow(sum, hashRow({ partitionKey: '', rowKey: '', text }));
      return sumText(sum);
    };
    expect(sumOf('{"K":"1","A":1}', '{"K":"2","A":2}')).not.toBe(sumOf('{"K":"1","A":2}', '{"K":"2","A":1}'));
  });

  it('adds to a sum in any order, also as part of another sum', () => {
    fc.assert(
      fc.property(fc.array(sentEntity, { minLength: 1, maxLength: 5 }), (entities) => {
        const hashes = entities.map(({ text }) => hashRow(cutRow(text, 0).row));
        const [sum, part, other] = [emptySum(), emptySum(), emptySum()];
        for (const one of hashes) addRow(sum, one);
        for (const one of hashes.slice(1).reverse()) addRow(part, one);
        addSum(other, part);
        addRow(other, hashes[0] ?? '');
        expect(sumText(other)).toBe(sumText(sum));
      }),
      { numRuns: runs(100) },
    );
  });
});

describe('A mask', () => {
  it('has the type and the length of a value, and is the same each time', () => {
    fc.assert(
      fc.property(anyText, fc.string({ minLength: 1 }), (text, key) => {
        const masked = maskValue(JSON.stringify(text), undefined, key);
        const found = JSON.parse(masked) as string;
        expect(found).toHaveLength(text.length);
        expect(found.replace(/[a-z\d]/gi, '')).toBe(text.replace(/\p{L}|\p{Nd}/gu, ''));
        expect(maskValue(JSON.stringify(text), undefined, key)).toBe(masked);
      }),
      { numRuns: runs(300) },
    );
  });

  it('of an integer is an integer of its type, with its sign and its first digit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        (small, large) => {
          const int32 = maskValue(String(small), undefined, 'k');
          expect(int32).toMatch(/^-?\d+$/);
          expect(Number(int32)).toBeGreaterThanOrEqual(-(2 ** 31));
          expect(Number(int32)).toBeLessThan(2 ** 31);
          const int64 = JSON.parse(maskValue(JSON.stringify(String(large)), 'Edm.Int64', 'k')) as string;
          expect(BigInt.asIntN(64, BigInt(int64))).toBe(BigInt(int64));
          expect(int64.slice(0, large < 0n ? 2 : 1)).toBe(String(large).slice(0, large < 0n ? 2 : 1));
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('hides letters and digits, and keeps everything else', () => {
    const masked = JSON.parse(maskValue('"Ann.Lee+1@example.org"', undefined, 'k')) as string;
    expect(masked).toMatch(/^[A-Z][a-z]{2}\.[A-Z][a-z]{2}\+\d@[a-z]{7}\.[a-z]{3}$/);
    expect(maskValue('"2026-05-06T07:08:09.1234567Z"', 'Edm.DateTime', 'k')).toMatch(
      /^"2026-\d\d-\d\dT\d\d:\d\d:\d\dZ"$/,
    );
    expect(maskValue('"AAEC"', 'Edm.Binary', 'k')).toHaveLength(6);
    expect(maskValue('true', undefined, 'k')).toBe('true');
  });
});

describe('A change of rows', () => {
  const plan = { omit: [], mask: [], maskKey: 'k', sample: 1 };
  const row = cutRow('{"PartitionKey":"p","RowKey":"r","A@odata.type":"Edm.Int64","A":"12","B":"b","C":1.50}', 0).row;

  it('omits, selects and masks properties with their types, of all tables or of one', () => {
    expect(rowChanger({ ...plan, omit: ['A', 'Other.B'] }, 'T')(row)?.text).toBe(
      '{"PartitionKey":"p","RowKey":"r","B":"b","C":1.50}',
    );
    expect(rowChanger({ ...plan, select: ['A'] }, 'T')(row)?.text).toBe(
      '{"PartitionKey":"p","RowKey":"r","A@odata.type":"Edm.Int64","A":"12"}',
    );
    const masked = rowChanger({ ...plan, mask: ['t.B', 'RowKey'] }, 'T')(row);
    expect(masked?.text).toBe(
      `{"PartitionKey":"p","RowKey":"${masked?.rowKey}","A@odata.type":"Edm.Int64","A":"12","B":${maskValue('"b"', undefined, 'k')},"C":1.50}`,
    );
  });

  it('takes the same partitions of every table, about as many as the sample says', () => {
    const taken = (table: string) => {
      const change = rowChanger({ ...plan, sample: 0.2 }, table);
      return Array.from({ length: 2000 }, (_, at) => ({ partitionKey: `p${at}`, rowKey: '', text: '{}' }))
        .filter((one) => change(one))
        .map(({ partitionKey }) => partitionKey);
    };
    expect(taken('A')).toEqual(taken('B'));
    expect(taken('A').length).toBeGreaterThan(300);
    expect(taken('A').length).toBeLessThan(500);
  });
});
