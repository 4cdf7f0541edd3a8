import { MemoryLevel } from 'memory-level';
import { describe, expect, it } from 'vitest';
import { defaultServiceProperties } from '../../../../../src/protocol/service-properties.js';
import { readRecords } from '../../../../../src/store/level/directories/check-records.js';
import type { Engine } from '../../../../../src/store/level/engine/engine.js';
import { encodeNamedKey, type NamedKind } from '../../../../../src/store/level/engine/key-encoding.js';
import { snapshotKey } from '../../../../../src/store/level/layers/snapshot-record.js';
import { named } from '../../../../../src/store/snapshots.js';

const at = '2026-01-02T03:04:05.1234567Z';
const table = { name: 'Table', created: '0123456789abcdef', layers: [{ account: 'a', id: 'x1' }] };
const accounts = [{ name: 'a', settings: defaultServiceProperties, tables: [table] }];
const undo = { kind: 'undo', id: 'one' } as const;

/** Records of each kind that only servers with snapshots write: their keys, a whole one, and what messages call it. */
const records = [
  [encodeNamedKey('snapshot', snapshotKey(named('one'))), { ...named('one'), at, accounts }, 'the snapshot one'],
  [encodeNamedKey('snapshot', snapshotKey(undo)), { ...undo, at, accounts }, 'the snapshot undo one'],
  [encodeNamedKey('branch', 'b'), { account: 'b', from: { account: 'a' }, key: 'k', expires: 1 }, 'the branch b'],
] as const;

/** Checks an engine with one record. */
async function check(key: string, record: object): Promise<void> {
  const engine = new MemoryLevel<string, string>({ storeEncoding: 'utf8' }) as unknown as Engine;
  await engine.put(key, JSON.stringify(record));
  const [kind] = key.split('\0') as [NamedKind];
  await readRecords(engine, kind, 'here');
}

describe.each(records)('The record %j', (key, whole, what) => {
  it('is accepted as this server writes it', async () => {
    await expect(check(key, whole)).resolves.toBeUndefined();
  });

  it.each(Object.keys(whole))('is rejected if it lacks its %s, or if that is something else', async (name) => {
    for (const record of [
      { ...whole, [name]: undefined },
      { ...whole, [name]: { else: true } },
    ]) {
      await expect(check(key, record)).rejects.toThrow(`the record of ${what} cannot be read`);
    }
  });
});

it('The record of a snapshot is rejected if a layer of one of its tables cannot be one', async () => {
  const other = { ...table, layers: [{ account: 'a', id: 'X/1' }] };
  const [[key, whole]] = records;
  const wrong = { ...whole, accounts: [{ ...accounts[0], tables: [table, other] }] };
  await expect(check(key, wrong)).rejects.toThrow('the record of the snapshot one cannot be read');
});
