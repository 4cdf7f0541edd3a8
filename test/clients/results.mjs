// Counts the results that the suites append to a file, one JSON object in a line.
import { existsSync, readFileSync } from 'node:fs';

/** The ids of checks.md, in its order. */
export function checkIds() {
  const page = readFileSync(new URL('checks.md', import.meta.url), 'utf8');
  return [...page.matchAll(/^\| `([a-z]+\.[a-z0-9-]+)` +\|/gm)].map(([, id]) => id);
}

/**
 * Reads the results of one suite.
 *
 * @returns for each client its name and version, the checks that it held, those that it cannot express with the reason,
 *   and those that failed. A check that was not reported has failed. Smoke tests of frameworks have no list of checks.
 */
export function countResults(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const clients = new Map();
  for (const { client, version, check, result, why = '', framework } of lines.map((line) => JSON.parse(line))) {
    const counted = clients.get(client) ?? { client, version, framework, results: new Map() };
    // Two tests of one check: both have to hold.
    if (counted.results.get(check)?.result !== 'failed') counted.results.set(check, { result, why });
    clients.set(client, counted);
  }
  return [...clients.values()].map(({ results, ...rest }) => {
    const ids = rest.framework ? [...results.keys()] : checkIds();
    const of = (wanted) => ids.filter((id) => (results.get(id)?.result ?? 'failed') === wanted);
    const why = (id) => ({ check: id, why: results.get(id)?.why ?? 'the suite did not report it' });
    return { ...rest, all: ids.length, held: of('held'), cannot: of('cannot').map(why), failed: of('failed').map(why) };
  });
}
