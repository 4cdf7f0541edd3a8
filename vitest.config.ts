import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * Tests that need a process of their own: they measure its memory, or replace a module. Other tests in the same process would
 * change what they measure, or have loaded the module before it is replaced.
 */
const alone = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) =>
    /\b(?:memoryUsage|usedHeapBytes|queryObjects|vi\.mock)\(/.test(
      readFileSync(join(import.meta.dirname, path), 'utf8'),
    ),
  );

export default defineConfig({
  test: {
    // Generous, because other work may share the machine. A test that waits for what never comes is as wrong later.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    // The default leaves one of two processors idle, and many tests wait for a server.
    maxWorkers: 2,
    // An external service has one account, whose settings the test files change.
    fileParallelism: !process.env['TABLE_SERVICE'],
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: alone,
          // One process runs many files, which saves it loading the same modules for each of them.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
