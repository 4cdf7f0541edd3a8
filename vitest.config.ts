import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // The default leaves one of two processors idle, and many tests wait for a server.
    maxWorkers: 2,
    // An external service has one account, whose settings the test files change.
    fileParallelism: !process.env['TABLE_SERVICE'],
  },
});
