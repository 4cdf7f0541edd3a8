import { existsSync } from 'node:fs';
import { ConfigError, escapeText } from '../../config.js';
import type { Accepted } from '../../insight/coach/budget/accepted.js';
import { causeNames, ruleNames } from '../../insight/rules/rules.js';
import { checked, faultOfFields, name, optional, text } from '../../schema.js';
import { readTextFile } from '../../user-files/read-text-file.js';

/** The file of accepted findings that is read if no option names another. */
export const acceptedFile = 'tabularium.coach.json';

const ruleNamesKnown: readonly string[] = [...ruleNames, ...causeNames];

const entryFields = {
  rule: checked('rule', (rule) => ruleNamesKnown.includes(rule), {
    wanted: 'a rule of the coach, as table-scan/unfiltered',
  }),
  account: optional(text('account')),
  table: optional(text('table')),
  shape: optional(text('shape of the request')),
  why: name('reason', { example: 'three rows, read once a day' }),
};

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
  const content = readTextFile({ path: file, subject: `The file ${file}`, wanted: 'a JSON file of accepted findings' });
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw new ConfigError(`${file} is not JSON. Write ${wanted}.`);
  }
  const list = typeof value === 'object' && value !== null && 'accept' in value ? value.accept : undefined;
  if (!Array.isArray(list)) throw new ConfigError(`${file} has no list 'accept'. Write ${wanted}.`);
  for (const [at, entry] of list.entries()) {
    const where = `${file}, accept[${at}]`;
    if (typeof entry !== 'object' || entry === null) throw new ConfigError(`${where} is not an object.`);
    const fault = faultOfFields(entryFields, entry, (field) => `'${field}'`);
    if (fault !== undefined) throw new ConfigError(`${where}: ${escapeText(fault)}`);
  }
  return list;
}
