import { expect, it } from 'vitest';
import { RecordDirectory } from '../../../../src/store/level/directories/record-directory.js';
import { makeMemoryEngine } from '../../../../src/store/level/engine/make-engine.js';

it('a record directory has its records also while it reads them again', async () => {
  const engine = await makeMemoryEngine();
  await engine.open();
  const directory = new RecordDirectory<{ name: string }>('snapshot', ({ name }) => name);
  const { records, written } = directory.put({ name: 'seed' });
  await engine.batch(records.map(({ key, value }) => ({ type: 'put' as const, key, value: value ?? '' })));
  written();

  const loaded = directory.load(engine);

  expect(directory.list()).toEqual([{ name: 'seed' }]);
  await loaded;
  expect(directory.list()).toEqual([{ name: 'seed' }]);
});
