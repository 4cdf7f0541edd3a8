// Runs a suite that takes long or needs other programs: `npm run test:long -- durability`. CONTRIBUTING.md has the list.
import { runNamed } from './run-named.mjs';

const vitest = ['--env-file=test/long.env', 'node_modules/vitest/vitest.mjs', 'run'];

runNamed('npm run test:long -- <name> [arguments...]', {
  attack: [[...vitest, 'test/attack/endurance.test.ts']],
  clients: [['test/clients/run.mjs', '--no-page']],
  cluster: [['test/support/with-postgres.mjs', '--', process.execPath, ...vitest, 'test/cluster']],
  durability: [[...vitest, 'test/durability']],
  firefox: [['test/support/pages/firefox.mjs']],
  kits: [['test/kits/run.mjs']],
  replay: [['test/support/replay.mjs']],
  samples: [['test/starters/samples.mjs']],
  standalone: [['test/starters/standalone.mjs']],
  starters: [['test/starters/run.mjs']],
  versions: [['test/starters/versions.mjs']],
  vscode: [['test/support/editor/run.mjs']],
  windows: [['test/windows/run.mjs']],
});
