import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { StateFile } from '../../../src/copy/copy-state.js';
import { newState } from '../../support/copy/copy-between.js';

it('A lock of an earlier process with the id of this one has ended', async () => {
  const path = newState();
  writeFileSync(`${path}.lock`, String(process.pid));
  const file = await StateFile.open(path, 'id');
  await expect(StateFile.open(path, 'id')).rejects.toThrow(`names the process ${process.pid}`);
  await file.close();
});

it('Of copies that replace the lock of a process that has ended, one continues', async () => {
  const path = newState();
  for (let round = 0; round < 40; round++) {
    writeFileSync(`${path}.lock`, '999999999');
    const copies = await Promise.allSettled(Array.from({ length: 6 }, () => StateFile.open(path, 'id')));
    const open = copies.filter((one) => one.status === 'fulfilled');
    for (const { value } of open) await value.close();
    expect(open.length).toBeLessThanOrEqual(1);
    // Each one that was rejected has left nothing that the next one must wait for.
    await (await StateFile.open(path, 'id')).close();
  }
});

it('A state has only a hash of the key of the user, and rejects another one', async () => {
  const path = newState();
  const file = await StateFile.open(path, 'id', 'my secret key');
  await file.save(true);
  await file.close();
  expect(readFileSync(path, 'utf8')).not.toContain('my secret key');
  for (const key of ['another', undefined])
    await expect(StateFile.open(path, 'id', key)).rejects.toThrow('TABULARIUM_MASK_KEY has changed');
  const again = await StateFile.open(path, 'id', 'my secret key');
  expect(again.continues).toBe(true);
  await again.remove();
  await again.close();
});

it.skipIf(process.platform === 'win32')('A state is not written through a link', async () => {
  const path = newState();
  writeFileSync(`${path}.other`, 'mine');
  symlinkSync(`${path}.other`, `${path}.new`);
  const file = await StateFile.open(path, 'id');
  await file.save(true);
  expect(readFileSync(`${path}.other`, 'utf8')).toBe('mine');
  await file.remove();
  await file.close();
  rmSync(`${path}.other`);
});
