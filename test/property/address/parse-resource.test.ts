import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAddress, parseResource } from '../../../src/address/parse-address.js';
import { entityPath } from '../../../src/entity/stored/write-row.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** A character of a key in a path: anything that UTF-8 can encode, except a slash and a backslash. */
const unit = fc.oneof(
  fc.constantFrom(..."'''(),=%+&? ab\"", 'RowKey', 'PartitionKey', "','RowKey='", "')"),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
);
const key = fc.string({ unit, maxLength: 8 }).filter((text) => !/[/\\]/.test(text));
const table = fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{2,20}$/).filter((name) => name.toLowerCase() !== 'tables');

const doubled = (text: string) => text.replaceAll("'", "''");

/** Returns what a parser returns, or that it rejected. */
function outcomeOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return 'rejected';
  }
}

describe('the path of an entity', () => {
  it('is parsed back from the form that the service writes, for all keys', () => {
    fc.assert(
      fc.property(table, key, key, (name, partitionKey, rowKey) => {
        expect(parseResource(entityPath(name, partitionKey, rowKey))).toEqual({
          kind: 'entity',
          table: name,
          key: { partitionKey, rowKey },
        });
      }),
      { numRuns: runs(2000) },
    );
  });

  it('is parsed in every spelling that clients use', () => {
    fc.assert(
      fc.property(table, key, key, (name, partitionKey, rowKey) => {
        const [p, r] = [doubled(partitionKey), doubled(rowKey)];
        const encodeAll = (text: string) => encodeURIComponent(text).replaceAll("'", '%27');
        const resource = { kind: 'entity', table: name, key: { partitionKey, rowKey } };
        for (const path of [
          `${name}(PartitionKey=%27${encodeAll(p)}%27,RowKey=%27${encodeAll(r)}%27)`,
          `${name}(RowKey='${encodeURIComponent(r)}', PartitionKey='${encodeURIComponent(p)}')`,
          encodeAll(`${name}(PartitionKey='${p}',RowKey='${r}')`).replaceAll('(', '%28').replaceAll(')', '%29'),
        ]) {
          expect(parseResource(path)).toEqual(resource);
        }
      }),
    );
  });

  it('is read in its usual form as in any other, whatever it is made of', () => {
    const piece = fc.constantFrom(
      'T',
      'Tables',
      '$batch',
      '(',
      ')',
      "'",
      "''",
      ' ',
      ',',
      '=',
      'PartitionKey',
      'RowKey',
      'é',
    );
    const part = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(part, part, part, (name, p, r) => {
        const usual = `${name}(PartitionKey='${p}',RowKey='${r}')`;
        const spaced = `${name}( PartitionKey='${p}',RowKey='${r}')`;
        expect(outcomeOf(() => parseResource(usual))).toEqual(outcomeOf(() => parseResource(spaced)));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('of a table is read in its usual form as in any other, whatever it is made of', () => {
    const piece = fc.constantFrom('T', 't_1', 'Tables', 'tables', '$batch', '(', ')', '()', ' ', 'é', '1', '-');
    const names = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(names, (name) => {
        expect(outcomeOf(() => parseResource(`${name}()`))).toEqual(outcomeOf(() => parseResource(`${name}( )`)));
      }),
      { numRuns: runs(3000) },
    );
  });

  it('separates account, path and query, for all keys', () => {
    fc.assert(
      fc.property(table, key, key, (name, partitionKey, rowKey) => {
        const path = entityPath(name, partitionKey, rowKey);
        const url = `/acct/${path}?$select=${encodeURIComponent(rowKey)}`;
        const address = parseAddress({ url, host: 'localhost:1', scheme: 'http' }, new Set(['acct']));
        expect(address).toMatchObject({ account: 'acct', resourcePath: path, rawPath: `/acct/${path}` });
        expect(address.query.get('$select')).toBe(rowKey);
      }),
    );
  });
});
