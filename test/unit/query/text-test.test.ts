import { describe, expect, it } from 'vitest';
import { writeEntityText } from '../../../src/entity/stored/entity.js';
import { compileTextTest } from '../../../src/query/filter/evaluate-filter.js';
import { type Filter, propertiesOf } from '../../../src/query/filter/filter.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';

const filterOf = (text: string) => parseFilter(text) as Filter;

describe('The properties of a filter', () => {
  it.each([
    ['A eq 1', ['A']],
    ['5 lt A', ['A']],
    ['IsActive', ['IsActive']],
    ['not A', ['A']],
    ['not (A eq 1 and B eq 2)', ['A', 'B']],
    ['A eq 1 and B eq 2', ['A', 'B']],
    ["A eq 1 or (B eq 2 and C) or PartitionKey eq 'p'", ['A', 'B', 'C', 'PartitionKey']],
    ['A ge 1 and A lt 5', ['A']],
    ['true', []],
  ])('of %s are %j', (text, names) => {
    expect([...propertiesOf(filterOf(text))]).toEqual(names);
  });
});

describe('A filter over more properties than are searched for one by one', () => {
  const names = Array.from({ length: 12 }, (_, at) => `P${at}`);
  const text = writeEntityText(
    { partitionKey: 'p', rowKey: 'r' },
    '2020-01-01T00:00:00Z',
    names.map((name) => ({ name, type: 'Edm.Int32', json: '1', valueBytes: 4 })),
  );
  const all = names.map((name) => `${name} eq 1`).join(' and ');

  it('matches a row with all of them', () => {
    expect(compileTextTest(filterOf(`${all} and RowKey eq 'r'`))(text)).toBe(true);
  });

  it.each(['P12 eq 1', 'P3 eq 2', "PartitionKey eq 'q'"])('does not match it if also %s is required', (more) => {
    expect(compileTextTest(filterOf(`${all} and ${more}`))(text)).toBe(false);
  });
});
