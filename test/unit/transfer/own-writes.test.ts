import { expect, it } from 'vitest';
import { writeEntityText } from '../../../src/entity/stored/entity.js';
import { OwnWrites } from '../../../src/transfer/import/own-writes.js';

const timestamp = '2026-01-01T00:00:00.1234567Z';

it('An entity to which another server gave the Timestamp of an imported one is not taken for an imported one', () => {
  const [own, foreign] = ['own', 'foreign'].map((rowKey) => {
    const key = { partitionKey: 'p', rowKey };
    return { key, text: writeEntityText(key, timestamp, []), previous: null, kind: 'insert', timestamp } as const;
  });
  if (!own || !foreign) throw new Error('two entities');
  const source = {};
  const writes = new OwnWrites(source, true);
  writes.add('Table', { account: 'account', table: 'Table', source, changes: [own] });
  const { before } = writes.rowsOf('Table');
  expect(before(own.key, own.text, null)).toBe(null);
  expect(before(foreign.key, foreign.text, null)).toBe(undefined);
});
