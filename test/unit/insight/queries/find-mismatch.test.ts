import { describe, expect, it } from 'vitest';
import type { Property } from '../../../../src/entity/stored/entity.js';
import { Coach } from '../../../../src/insight/coach/coach.js';
import { nameOf } from '../../../../src/insight/rules/rule.js';
import type { EdmType } from '../../../../src/protocol/values/edm.js';
import { observedPage, observedWrite } from '../../../support/clients/observed-request.js';

/** Returns what a coach finds in a query of a table in which these properties have these types. */
function foundIn(stored: readonly (readonly [name: string, type: EdmType])[], filter: string, returned = 0) {
  const coach = new Coach();
  for (const [at, [name, type]] of stored.entries()) {
    const properties: readonly Property[] = [{ name, type, json: '0', valueBytes: 4 }];
    coach.tables.observe(observedWrite([{ kind: 'insert', key: { partitionKey: 'p', rowKey: `r${at}` }, properties }]));
  }
  coach.shapes.observe(observedPage(`PartitionKey eq 'p' and RowKey gt 'a' and ${filter}`, { read: 9, returned }));
  return coach.findings(0);
}

describe('A constant of another type than the stored property', () => {
  it.each<[string, EdmType, string, string]>([
    ['Age', 'Edm.Int32', "Age eq '3'", "Age is stored as an Int32, and '3' is a String."],
    ['Age', 'Edm.Int64', "Age ge '3'", "Age is stored as an Int64, and '3' is a String."],
    ['Price', 'Edm.Double', "Price gt '1.5'", "Price is stored as a Double, and '1.5' is a String."],
    ['Price', 'Edm.Int32', 'Price eq 3L', 'Price is stored as an Int32, and 3L is an Int64.'],
    ['Zip', 'Edm.String', 'Zip eq 12345', 'Zip is stored as a String, and 12345 is an Int32.'],
    ['Ok', 'Edm.Boolean', "Ok eq 'True'", "Ok is stored as a Boolean, and 'True' is a String."],
    ['At', 'Edm.DateTime', "At ge '2026-01-31'", "At is stored as a DateTime, and '2026-01-31' is a String."],
    [
      ...(['At', 'Edm.String', "At ge datetime'2026-01-31T00:00:00Z'"] as const),
      "At is stored as a String, and datetime'2026-01-31T00:00:00Z' is a DateTime.",
    ],
    [
      ...(['Id', 'Edm.Guid', "Id eq '12345678-1234-1234-1234-123456789ABC'"] as const),
      "Id is stored as a Guid, and '12345678-1234-1234-1234-123456789ABC' is a String.",
    ],
  ])('%s as %s, in %s, is found', (name, type, filter, note) => {
    expect(foundIn([[name, type]], filter)).toMatchObject([
      { rule: 'type-mismatch', cause: 'property', severity: 'warn', note },
    ]);
  });

  it.each<[string, readonly (readonly [string, EdmType])[], string]>([
    ['a narrower number', [['Age', 'Edm.Int64']], 'Age eq 3'],
    ['the same type', [['Age', 'Edm.Int32']], 'Age eq 3'],
    [
      'one of two types that were stored',
      [
        ['Age', 'Edm.Int32'],
        ['Age', 'Edm.String'],
      ],
      "Age eq '3'",
    ],
    ['a property that no write has shown', [['Other', 'Edm.Int32']], "Age eq '3'"],
    ['an operator that other types satisfy', [['Age', 'Edm.Int32']], "Age lt '3'"],
    ['one half of an or', [['Age', 'Edm.Int32']], "(Age eq '3' or Age eq 3)"],
    ['a comparison within not', [['Age', 'Edm.Int32']], "not (Age eq '3')"],
  ])('is not found in %s', (_what, stored, filter) => {
    expect(foundIn(stored, filter)).toEqual([]);
  });

  it('is not found if the query has found something, because other entities were there before', () => {
    expect(foundIn([['Age', 'Edm.Int32']], "Age eq '3'", 1)).toEqual([]);
  });

  it('is found in a key from its form alone', () => {
    const coach = new Coach();
    coach.shapes.observe(observedPage('PartitionKey eq 5', { read: 0, returned: 0 }));
    expect(coach.findings(0).map(nameOf)).toEqual(['type-mismatch/key']);
  });
});
