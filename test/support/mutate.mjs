// Measures how many small changes of one module's code its own tests notice.
// Usage: npm run mutate -- <module> [file...]
import { existsSync } from 'node:fs';
import { Stryker } from '@stryker-mutator/core';

const [module, ...files] = process.argv.slice(2);
if (module === undefined || !existsSync(`test/unit/${module}`)) {
  process.stderr.write('Name one module that has tests in test/unit: npm run mutate -- auth\n');
  process.exit(1);
}

process.env['MUTATED_MODULE'] = module;
await new Stryker({
  mutate: files.length > 0 ? files.map((file) => `src/${module}/${file}`) : [`src/${module}/**/*.ts`],
  testRunner: 'mutation-runner',
  plugins: [new URL('mutation-runner.mjs', import.meta.url).href],
  // A mutant that changes what a module computes when it is loaded would need a new process for each test file.
  ignoreStatic: true,
  concurrency: Number(process.env['MUTATION_CONCURRENCY'] ?? 1),
  // On a busy machine a test takes several times as long as usual. A shorter time would count as a kill.
  timeoutMS: 10_000,
  incremental: true,
  incrementalFile: `reports/mutation/${module}.json`,
  reporters: ['clear-text', 'progress-append-only', 'html'],
  htmlReporter: { fileName: `reports/mutation/${module}.html` },
  clearTextReporter: { allowColor: false, reportTests: false },
  thresholds: { high: 90, low: 90, break: null },
  // The tests need no compiler, and TypeScript 7 has no interface to rewrite its settings with.
  tsconfigFile: 'none',
  tempDirName: '.mutation',
  ignorePatterns: ['build', 'dist', 'docs', 'docker', 'reports', 'test/bench', 'tabularium-data'],
}).runMutationTest();
