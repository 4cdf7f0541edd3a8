import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const testFiles = readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `test/${path.replaceAll('\\', '/')}`);

/** Returns the test files whose text matches a pattern. */
function filesWith(pattern: RegExp): string[] {
  return testFiles.filter((path) => pattern.test(readFileSync(join(import.meta.dirname, path), 'utf8')));
}

/**
 * Tests that need a process of their own: they measure its memory, or replace a module. Other tests in the same process would
 * change what they measure, or have loaded the module before it is replaced.
 */
const alone = filesWith(/\b(?:memoryUsage|usedHeapBytes|queryObjects|vi\.mock)\(/);

/** Tests that run a browser. `npm run test:browser` runs them. */
const browser = filesWith(/support\/pages\//);

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
          exclude: [...alone, ...browser],
          // One process runs many files, which saves it loading the same modules for each of them.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: { name: 'browser', include: browser, isolate: false, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
