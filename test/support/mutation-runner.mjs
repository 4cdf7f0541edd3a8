// A test runner for Stryker that loads all test files of a module once and runs them in its own process, without workers.
// Loading them again for each mutant, as Vitest would, takes a hundred times longer than the tests.
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { createServer } from 'vite';

const standIn = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * What the code with the mutants reads and writes: which mutant is active, which test runs, and how often each mutant was
 * reached. A module keeps the object of the counts from its first use on.
 */
globalThis.__stryker__ ??= {};
const shared = globalThis.__stryker__;
shared.mutantCoverage ??= { static: {}, perTest: {} };

/**
 * Returns after how many visits a mutant counts as an endless loop. Stryker allows a hundred times the visits of all
 * tests, which takes many seconds where property tests make a million of them.
 */
const visitsMax = (hitLimit) => hitLimit && Math.max(0.03 * hitLimit, Math.min(hitLimit, 2_000_000));

class MutationRunner {
  #server;
  /** The stand-in for vitest, as the test files have loaded it. */
  #tests;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    this.#server = await createServer({
      configFile: false,
      root: process.cwd(),
      logLevel: 'error',
      server: { middlewareMode: true, watch: null, ws: false },
      optimizeDeps: { noDiscovery: true },
      resolve: {
        alias: [
          { find: /^vitest$/, replacement: standIn('mutation-tests.mjs') },
          { find: /^fast-check$/, replacement: standIn('mutation-fast-check.mjs') },
        ],
      },
    });
    await this.#load();
  }

  /** Loads the test files: the short unit tests first, because the first test that fails decides. */
  async #load() {
    this.#server.moduleGraph.invalidateAll();
    this.#tests = await this.#server.ssrLoadModule(standIn('mutation-tests.mjs'));
    this.#tests.forgetTests();
    const module = process.env['MUTATED_MODULE'];
    for (const folder of [`test/unit/${module}`, `test/property/${module}`]) {
      const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.test.ts')) : [];
      for (const name of names.sort()) {
        const file = `${folder}/${name}`;
        await this.#tests.collect(file, () => this.#server.ssrLoadModule(`/${file}`));
      }
    }
  }

  async dryRun() {
    const results = [];
    for (const test of this.#tests.collectedTests().values()) {
      shared.currentTestId = test.id;
      results.push(await this.#run(test));
    }
    shared.currentTestId = undefined;
    return { status: DryRunStatus.Complete, tests: results, mutantCoverage: shared.mutantCoverage };
  }

  async mutantRun(options) {
    const { activeMutant, mutantActivation, testFilter } = options;
    const hitLimit = visitsMax(options.hitLimit);
    if (mutantActivation === 'static') {
      shared.activeMutant = activeMutant.id;
      await this.#load();
    }
    const all = this.#tests.collectedTests();
    const chosen = testFilter === undefined ? [...all.values()] : testFilter.map((id) => all.get(id));
    const results = [];
    for (const test of chosen) {
      Object.assign(shared, { activeMutant: activeMutant.id, hitLimit, hitCount: 0 });
      const result = await this.#run(test);
      const timeout = determineHitLimitReached(shared.hitCount, hitLimit);
      Object.assign(shared, { activeMutant: undefined, hitLimit: undefined });
      results.push(result);
      if (timeout) return toMutantRunResult(timeout);
      if (result.status !== TestStatus.Failed) continue;
      // Only the mutant can have made the test fail if the test passes without it. Otherwise an earlier mutant left
      // a trace in the state of a module.
      if ((await this.#run(test)).status === TestStatus.Success) break;
      await this.#load();
      return this.mutantRun(options);
    }
    return toMutantRunResult({ status: DryRunStatus.Complete, tests: results });
  }

  async #run(test) {
    const { id, name, fileName } = test;
    const begun = performance.now();
    const result = { id, name, fileName };
    try {
      await this.#tests.runTest(test);
      return { ...result, status: TestStatus.Success, timeSpentMs: performance.now() - begun };
    } catch (error) {
      const failureMessage = String(error?.message ?? error);
      return { ...result, status: TestStatus.Failed, failureMessage, timeSpentMs: performance.now() - begun };
    }
  }

  async dispose() {
    await this.#server?.close();
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'mutation-runner', MutationRunner)];
