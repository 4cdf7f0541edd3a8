// Runs the suites of the test kits that this machine can run: npm run test:long -- kits, or some of them with -- kits python.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkEnd, checkPackage, checkParallel, checkReasons, checkWrong, endings, wrongSetUps } from './checks.mjs';
import { languages } from './languages.mjs';

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in languages));
if (unknown.length > 0) throw new Error(`There is no kit ${unknown}. Kits: ${Object.keys(languages).join(', ')}`);

const failed = [];
for (const [name, language] of Object.entries(languages)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const missing = language.needs.filter((program) => spawnSync('which', [program], { stdio: 'ignore' }).status !== 0);
  if (missing.length > 0) {
    console.log(`${name}: left out, not on this machine: ${missing.join(', ')}`);
    continue;
  }
  const place = mkdtempSync(join(tmpdir(), 'tabularium-kits-'));
  for (const [what, check] of checksOf(language, place)) {
    try {
      await check();
      console.log(`${name}: ${what}: holds`);
    } catch (error) {
      failed.push(`${name}: ${what}`);
      console.log(`${name}: ${what}: FAILED: ${error instanceof Error ? error.message : error}`);
    }
  }
  rmSync(place, { recursive: true, force: true });
}
if (failed.length > 0) console.log(`${failed.length} failed:\n${failed.join('\n')}`);
process.exitCode = failed.length > 0 ? 1 : 0;

/** Returns the checks of a language with their names, in order. */
function checksOf(language, place) {
  const { prepare, packaged } = language;
  return [
    ['prepared', () => prepared(prepare, language)],
    ['64 tests in parallel have their own reasons, and leave no branch', () => checkParallel(language)],
    ['a failed test prints the lines of all kits', () => checkReasons(language)],
    ...endings.map((how) => [`no server is left after ${how}`, () => checkEnd(language, place, how)]),
    ...Object.entries(wrongSetUps(place)).map(([what, one]) => [`set-up: ${what}`, () => checkWrong(language, one)]),
    ...(packaged
      ? [
          ['the package is prepared', () => prepared(packaged.prepare, language)],
          ['the program of the package serves without Node.js', () => checkPackage(language, place)],
        ]
      : []),
  ];
}

/** Fetches and compiles. A registry may not answer, so each command has three tries. */
function prepared(commands, { folder }) {
  for (const [file, ...words] of commands) {
    const tries = [1, 2, 3].find(() => spawnSync(file, words, { cwd: folder, stdio: 'inherit' }).status === 0);
    if (tries === undefined) throw new Error(`this failed: ${[file, ...words].join(' ')}`);
  }
}
