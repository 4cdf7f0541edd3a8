// Writes a page or picture that is generated from the code or from a run: `npm run write -- reference`. CONTRIBUTING.md has the list.
import { runNamed } from './run-named.mjs';

runNamed('npm run write -- <name> [arguments...]', {
  chart: [['test/bench/report/chart.mjs']],
  clients: [['test/clients/run.mjs']],
  compatibility: [['test/support/compatibility.mjs']],
  patterns: [['test/support/patterns.mjs']],
  // `--update` comes last: it would take a name after it as its value, and run all tests.
  reference: [
    ['node_modules/vitest/vitest.mjs', 'run', 'test/docs/verbs.test.ts', 'test/docs/reference.test.ts', '--update'],
  ],
  screenshots: [['test/support/screenshots.mjs']],
});
