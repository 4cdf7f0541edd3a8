import { existsSync } from 'node:fs';
import { ConfigError, shownValue } from '../../config.js';
import type { Accepted } from '../../insight/budget/accepted.js';
import { causeNames, ruleNames } from '../../insight/rules/rules.js';
import { nearestName } from '../../nearest-name.js';
import { readTextFile } from '../../user-files/read-text-file.js';

/** The file of accepted findings that is read if no option names another. */
export const acceptedFile = 'tabularium.coach.json';

const names = ['rule', 'account', 'table', 'shape', 'why'] as const;
const wanted = 'an object with a list, as {"accept":[]}';

/**
 * Reads accepted findings: `{"accept":[{"rule":"table-scan/unfiltered","table":"Countries","why":"…"}]}`. Without a path, reads the
 * usual file if it exists.
 *
 * Errors: ConfigError with the entry that is wrong. The reason, `why`, is required.
 */
export function readAccepted(path: string | undefined): readonly Accepted[] {
  const file = path ?? acceptedFile;
  if (path === undefined && !existsSync(file)) return [];
  const text = readTextFile({ path: file, subject: `The file ${file}`, wanted: 'a JSON file of accepted findings' });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ConfigError(`${file} is not JSON. Write ${wanted}.`);
  }
  const list = typeof value === 'object' && value !== null && 'accept' in value ? value.accept : undefined;
  if (!Array.isArray(list)) throw new ConfigError(`${file} has no list 'accept'. Write ${wanted}.`);
  return list.map((entry, at) => readEntry(entry, `${file}, accept[${at}]`));
}

function readEntry(entry: unknown, where: string): Accepted {
  const { rule = '', why = '', ...others } = fieldsOf(entry, where);
  if (![...ruleNames, ...causeNames].some((name) => name === rule)) {
    const meant = nearestName(rule, [...ruleNames, ...causeNames]) ?? 'table-scan/unfiltered';
    throw new ConfigError(
      `${where}: there is no rule '${shownValue(rule)}'. Name one of the coach, as "rule":"${meant}".`,
    );
  }
  if (why.trim() === '')
    throw new ConfigError(`${where} has no reason. Add one, as "why":"three rows, read once a day".`);
  return { rule, ...others, why };
}

/** Returns the fields of an entry, which must all be texts with known names. */
function fieldsOf(entry: unknown, where: string): Partial<Record<(typeof names)[number], string>> {
  const known = `Its fields are: ${names.join(', ')}.`;
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new ConfigError(`${where} is not an object. ${known}`);
  }
  for (const [name, value] of Object.entries(entry)) {
    if (!names.some((one) => one === name)) {
      throw new ConfigError(`${where} has an unknown field '${shownValue(name)}'. ${known}`);
    }
    if (typeof value !== 'string') throw new ConfigError(`${where}: '${name}' is not a text.`);
  }
  return entry;
}
