import { MemoryLevel } from 'memory-level';
import { expect, it } from 'vitest';
import type { Engine } from '../../../../../src/store/level/engine/engine.js';
import { EngineGate } from '../../../../../src/store/level/engine/engine-gate.js';
import { MemoryLog } from '../../../../../src/store/level/log/commit-log.js';
import { CommitQueue } from '../../../../../src/store/level/log/commit-queue.js';

it('keeps commits that a failed engine did not get, and gives it all of them when it is open again', async () => {
  const engine = new MemoryLevel<string, string>({ storeEncoding: 'utf8' });
  const queue = new CommitQueue(engine as unknown as Engine, {
    ...{ log: new MemoryLog(), gate: new EngineGate(), isSynced: false, extraRecord: () => undefined },
    ...{ onCommitted: () => {}, onCaughtUp: () => {}, onFailed: () => {} },
  });
  await queue.add([{ key: 'a', value: '1' }]);
  await queue.catchUp();
  await engine.close();

  await queue.add([{ key: 'b', value: '2' }]);
  await expect(queue.catchUp()).rejects.toThrow(/not open/);
  await expect(queue.add([{ key: 'c', value: '3' }])).rejects.toThrow(/not open/);
  expect(queue.tail.get('', 'b')).toBe('2');

  await queue.drain();
  await engine.open();
  await queue.resume();
  await queue.add([{ key: 'c', value: '3' }]);
  await queue.catchUp();
  expect(await Promise.all(['a', 'b', 'c'].map((key) => engine.get(key)))).toEqual(['1', '2', '3']);
  expect(queue.tail.get('', 'b')).toBeUndefined();
});
