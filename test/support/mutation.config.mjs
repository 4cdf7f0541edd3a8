import { defineConfig } from 'vitest/config';

const module = process.env['MUTATED_MODULE'];

/** The unit and property tests of the module that is mutated. */
export default defineConfig({
  test: {
    include: [`test/unit/${module}/**/*.test.ts`, `test/property/${module}/**/*.test.ts`],
    testTimeout: 30_000,
  },
});
