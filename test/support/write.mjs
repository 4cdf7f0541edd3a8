// Writes a page or picture that is generated from the code or from a run: `npm run write -- reference`. CONTRIBUTING.md has the list.
import { runNamed } from './run-named.mjs';

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--update'];

runNamed('npm run write -- <name> [arguments...]', {
  chart: [['test/bench/report/chart.mjs']],
  clients: [['test/clients/run.mjs']],
  compatibility: [['test/support/compatibility.mjs']],
  patterns: [['test/support/patterns.mjs']],
  reference: [[...vitest, 'test/docs/verbs.test.ts']],
  screenshots: [['test/support/screenshots.mjs']],
});
