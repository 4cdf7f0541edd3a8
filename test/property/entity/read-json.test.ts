import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readJsonObject } from '../../../src/entity/body/read-json.js';
import { readJsonString } from '../../../src/entity/stored/json-text.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Pieces that strings of JSON are made of, and some that end them or are not allowed in them. */
const pieces = [
  '"',
  '\\',
  '\\"',
  '\\\\',
  '\\u',
  '\\u00e9',
  '\\ud83d',
  '\\n',
  '\\x',
  'u',
  'n',
  'é',
  '0',
  'F',
  'g',
  '\n',
  '\0',
];

it('accepts the strings that JSON has, and reads the same characters', () => {
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((some) => `"${some.join('')}"`);
  fc.assert(
    fc.property(text, (json) => {
      expect(readOurs(json)).toBe(readPlain(json));
    }),
    { numRuns: runs(2000) },
  );
});

/** Returns the string; undefined if it is none. */
function readPlain(json: string): string | undefined {
  try {
    return JSON.parse(json) as string;
  } catch {
    return undefined;
  }
}

function readOurs(json: string): string | undefined {
  try {
    const [member] = readJsonObject(`{"a":${json}}`);
    return member?.kind === 'string' ? readJsonString(member.json) : undefined;
  } catch {
    return undefined;
  }
}
