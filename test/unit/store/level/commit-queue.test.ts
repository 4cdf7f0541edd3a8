import { MemoryLevel } from 'memory-level';
import { expect, it } from 'vitest';
import { CommitQueue } from '../../../../src/store/level/commit-queue.js';

const options = { extraRecord: () => undefined, onWritten: () => {}, onFailed: () => {}, durability: 'os' } as const;

it('A lone write to a closed engine fails, and the queue is idle after it', async () => {
  const engine = new MemoryLevel<string, string>();
  const queue = new CommitQueue(engine, options);
  await queue.add([{ key: 'a', value: '1' }]);
  await engine.close();

  await expect(queue.add([{ key: 'b', value: '2' }])).rejects.toThrow(/not open/);

  await queue.drain();
  await engine.open();
  queue.resume();
  await queue.add([{ key: 'c', value: '3' }]);
  expect(await engine.get('c')).toBe('3');
});
