import { expect, it } from 'vitest';
import { followFile } from '../../../src/user-files/follow-file.js';

it('a file that is being written is not reported before it stays the same', async () => {
  const events: string[] = [];
  const contents = ['old', '', 'ne', 'new'];
  const read = async () => {
    const value = contents.length > 1 ? (contents.shift() ?? '') : (contents[0] ?? '');
    if (value === '') throw new Error('it is empty');
    return { fingerprint: value, value };
  };
  const stop = followFile(
    'old',
    { read, changed: (value) => events.push(value), failed: (error) => events.push(`${error}`) },
    1,
  );

  await expect.poll(() => events).toEqual(['new']);
  stop();
});

it('a failure is reported once, as long as it is the same', async () => {
  const events: string[] = [];
  let reads = 0;
  let reason = 'first';
  const read = () => {
    reads++;
    return Promise.reject(new Error(reason));
  };
  const report = (error: unknown) => events.push(error instanceof Error ? error.message : '');
  const stop = followFile('', { read, changed: () => {}, failed: report }, 1);

  await expect.poll(() => reads).toBeGreaterThan(4);
  reason = 'second';
  await expect.poll(() => events).toEqual(['first', 'second']);
  stop();
});
