import { existsSync } from 'node:fs';
import { ConfigError, shownValue } from '../config.js';
import type { KnownFinding } from '../insight/budget/baseline.js';
import type { Suppression } from '../insight/budget/suppressions.js';
import { isRuleId } from '../insight/rules.js';
import { readTextFile } from '../user-files/read-text-file.js';

/** The file of suppressions that is read if no option names another. */
export const suppressionsFile = 'tabularium.coach.json';

/**
 * Reads suppressions: `{"ignore":[{"rule":"R1","table":"Countries","shape":"…","why":"…"}]}`. Without a path, reads the usual
 * file if it exists.
 *
 * Errors: ConfigError with the entry that is wrong. The reason, `why`, is required.
 */
export function readSuppressions(path: string | undefined): readonly Suppression[] {
  const file = path ?? suppressionsFile;
  if (path === undefined && !existsSync(file)) return [];
  return readList(file, 'ignore', 'suppressions').map((entry, at) => readSuppression(entry, `${file}, ignore[${at}]`));
}

/** Reads a baseline that `--updateBaseline` has written. Errors: ConfigError with the path. */
export function readBaseline(path: string): readonly KnownFinding[] {
  return readList(path, 'findings', 'a baseline').map((entry, at) => {
    const where = `${path}, findings[${at}]`;
    const fields = fieldsOf(entry, ['rule', 'table', 'shape'], where);
    const [rule = '', table = '', shape = ''] = ['rule', 'table', 'shape'].map((name) => fields.get(name));
    if (!isRuleId(rule)) throw new ConfigError(`${where}: there is no rule '${shownValue(rule)}'.`);
    return { rule, table, shape };
  });
}

function readSuppression(entry: unknown, where: string): Suppression {
  const fields = fieldsOf(entry, ['rule', 'table', 'shape', 'why'], where);
  const [rule = '', table, shape, why = ''] = ['rule', 'table', 'shape', 'why'].map((name) => fields.get(name));
  if (!isRuleId(rule)) {
    throw new ConfigError(`${where}: there is no rule '${shownValue(rule)}'. Name one of the coach, as "rule":"R1".`);
  }
  if (why.trim() === '')
    throw new ConfigError(`${where} has no reason. Add one, as "why":"three rows, read once a day".`);
  return { rule, why, ...(table !== undefined && { table }), ...(shape !== undefined && { shape }) };
}

function readList(path: string, name: string, what: string): readonly unknown[] {
  const text = readTextFile({ path, subject: `The file ${path}`, wanted: `a JSON file of ${what}` });
  const wanted = `an object with a list, as {"${name}":[]}`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ConfigError(`${path} is not JSON. Write ${wanted}.`);
  }
  const list = typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(name) : undefined;
  if (!Array.isArray(list)) throw new ConfigError(`${path} has no list '${name}'. Write ${wanted}.`);
  return list;
}

/** Returns the fields of an entry, which must all be texts with known names. */
function fieldsOf(entry: unknown, names: readonly string[], where: string): ReadonlyMap<string, string> {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    throw new ConfigError(`${where} is not an object. Its fields are: ${names.join(', ')}.`);
  }
  const fields = new Map<string, string>();
  for (const [name, value] of Object.entries(entry)) {
    if (!names.includes(name)) {
      throw new ConfigError(
        `${where} has an unknown field '${shownValue(name)}'. Its fields are: ${names.join(', ')}.`,
      );
    }
    if (typeof value !== 'string') throw new ConfigError(`${where}: '${name}' is not a text.`);
    fields.set(name, value);
  }
  return fields;
}
