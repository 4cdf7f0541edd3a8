import { expect, it } from 'vitest';
import { maskValue } from '../../../src/copy/rows/mask-value.js';
import { copyBetween, exported, manyRows, newState, startTwo } from '../../support/copy/copy-between.js';

it('A mask that no entity matched is in the report, with a note', async () => {
  await using servers = await startTwo(`${manyRows(5)}{"$table":"Bare"}\n`);
  const { one, other } = servers;
  const mask = ['Age', 'Agge', 'Many.Total', 'Many.Totl', 'Bare.Name'];
  const report = await copyBetween(one.connectionString, other.connectionString, { mask });
  expect(report.unusedMasks).toEqual(['Agge', 'Many.Totl']);
  expect(report.notes).toEqual([
    '--mask Agge matched no entity. Nothing is masked by it.',
    '--mask Many.Totl matched no entity. Nothing is masked by it.',
  ]);
});

it.each(['mask', 'omit'] as const)('--%s for a table that is not copied is rejected before a write', async (option) => {
  await using servers = await startTwo(manyRows(5) + manyRows(5, 5, 'Other'));
  const { one, other } = servers;
  const wish = { tables: ['Many'], [option]: ['many.Age', 'Other.Age'] };
  await expect(copyBetween(one.connectionString, other.connectionString, wish)).rejects.toThrow(
    `--${option} names Other.Age, but that table is not copied.`,
  );
  expect(await exported(other)).toBe('');
});

it('A mask that matched before an interruption is not reported after it', async () => {
  const masked = '{"$table":"First"}\n{"PartitionKey":"p","RowKey":"r","Name":"Ann"}\n';
  await using servers = await startTwo(masked + manyRows(3000, 1000, 'Second'));
  const { one, other } = servers;
  const wish = { state: newState(), mask: ['Name'], transfers: 1 };
  const stop = new AbortController();
  const add = (table: string) => {
    if (table === 'Second') stop.abort(new Error('stopped'));
  };
  const options = { signal: stop.signal, progress: { add, end: () => {} } };
  await expect(copyBetween(one.connectionString, other.connectionString, wish, options)).rejects.toThrow('stopped');
  const report = await copyBetween(one.connectionString, other.connectionString, wish);
  expect(report).toMatchObject({ continued: true, rows: 3001, unusedMasks: [] });
});

it('A Double is masked as a number and as a string; Infinity and NaN stay', () => {
  const mask = (json: string) => maskValue(json, 'Edm.Double', 'key');
  expect(mask('"1234.5678"')).toMatch(/^"1\d{3}\.\d{4}"$/);
  expect(mask('"1234.5678"')).not.toBe('"1234.5678"');
  expect(mask('"1234.5678"')).toBe(`"${mask('1234.5678')}"`);
  expect(['"NaN"', '"-Infinity"', '"INF"'].map(mask)).toEqual(['"NaN"', '"-Infinity"', '"INF"']);
});
