import { defineConfig } from 'vitest/config';

/** Folders of `npm test`. The others start many processes or take long: `npm run test:all` has them, too. */
const fast = ['unit', 'conformance', 'divergences', 'docs', 'sdk', 'property', 'vscode'];

/** Tests of these folders that take seconds. */
const slow = ['test/**/*.slow.test.ts'];

/** Tests that count the objects of their process, or replace a module: each file has a process of its own. */
const alone = ['test/**/*.alone.test.ts'];

/** Tests that measure how much memory their process uses, which takes long: each has a process of its own, too. */
const memory = ['test/**/*.memory.test.ts'];

/** Tests that run a browser. */
const browser = ['test/**/*.browser.test.ts'];

/** Tests that do the same on every engine, or that are about one: a run on a chosen engine leaves them out. */
const ofNoEngine = process.env['TABULARIUM_TEST_ENGINE']
  ? ['test/unit/store/level/**', 'test/conformance/identity/**', 'test/conformance/shared-access*', ...memory]
  : [];

export default defineConfig({
  test: {
    // Generous, because other work may share the machine. A test that waits forever fails later, but it fails.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000 } },
    // The default leaves one of two processors idle, and many tests wait for a server.
    maxWorkers: 2,
    // An external service has one account, whose settings the test files change.
    fileParallelism: !process.env['TABLE_SERVICE'],
    // A file that has not changed is not transformed again, which takes a quarter of the time.
    experimental: { fsModuleCache: true },
    ...(process.env['PROPERTY_SEED'] !== undefined && { setupFiles: ['test/support/arbitrary/property-seed.ts'] }),
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: [`test/{${fast.join(',')}}/**/*.test.ts`, 'test/*.test.ts'],
          exclude: [...slow, ...alone, ...memory, ...browser, ...ofNoEngine],
          // One process runs many files, which saves loading the same modules for each of them.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone } },
      { extends: true, test: { name: 'memory', include: memory, exclude: ofNoEngine, sequence: { groupOrder: 1 } } },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [`test/!(${fast.join('|')})/**/*.test.ts`, ...slow],
          exclude: [...alone, ...memory, ...browser, ...ofNoEngine],
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
      { extends: true, test: { name: 'browser', include: browser, isolate: false, sequence: { groupOrder: 3 } } },
    ],
  },
});
