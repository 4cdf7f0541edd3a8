import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { usualTexts } from '../support/answers/error-texts.js';

/** A code of this server alone, which docs/divergences.md describes. */
const own = ['HostNotAllowed'];

const reference = readFileSync(new URL('../../docs/protocol/errors.md', import.meta.url), 'utf8');
const rows = [...reference.matchAll(/^\| (\w+) \| [^|]* \| ([^|]*) \|/gm)];
const documented = new Map(rows.map(([, code = '', text = '']) => [code, text]));

it.each([...usualTexts].filter(([code]) => !own.includes(code)))(
  'The text that tests expect of %s is the one in docs/protocol/errors.md',
  (code, text) => {
    expect(documented.get(code)).toContain(text);
  },
);
