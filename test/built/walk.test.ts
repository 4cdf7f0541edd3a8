import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const support = fileURLToPath(new URL('../support', import.meta.url));

it('A warm request runs no more functions and files than test/support/walk-bar.json allows', {
  timeout: 180_000,
}, () => {
  // A change that needs more says why, and raises the bar.
  const { stderr, status } = spawnSync(
    process.execPath,
    ['walk.mjs', '--bar', 'walk-bar.json', '--modules', '../../build'],
    {
      cwd: support,
      encoding: 'utf8',
    },
  );

  expect(stderr).toBe('');
  expect(status).toBe(0);
});
