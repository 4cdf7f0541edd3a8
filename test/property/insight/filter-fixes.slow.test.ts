import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainFilter } from '../../../src/insight/why/filter/explain-filter.js';
import { compileFilter } from '../../../src/query/filter/evaluate-filter.js';
import type { Filter } from '../../../src/query/filter/filter.js';
import { parseFilter } from '../../../src/query/filter/parse-filter.js';
import { printFilter, printLiteral } from '../../../src/query/filter/print-filter.js';
import { anyFilter, bareFilter, comparisonOf, filterOver, literal } from '../../support/arbitrary/arbitrary-filter.js';
import { explanationOf, fixedFilter } from '../../support/arbitrary/filter-fixes.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Names that are also words of other query languages. */
const name = fc.constantFrom('A', 'größe', 'And', 'EQ', 'True', 'Not', 'like', 'in', 'is', 'has', 'null_', 'contains');

/** How other languages write an operator. */
const spellings: Readonly<Record<string, readonly string[]>> = {
  eq: ['=', '==', '===', 'EQ', 'Eq'],
  ne: ['<>', '!=', '!==', 'NE'],
  lt: ['<', 'LT'],
  le: ['<=', '=<', 'Le'],
  gt: ['>', 'GT'],
  ge: ['>=', '=>', 'gE'],
  and: ['&&', '&', 'AND', 'And'],
  or: ['||', '|', 'OR'],
  not: ['!', 'NOT', 'Not'],
  true: ['True', 'TRUE'],
  false: ['False'],
};

/** Returns a spelling of an operator: the service's, or that of another language. */
type Spell = (word: string) => string;

/** Writes a filter as someone would who knows another language. */
function printForeign(filter: Filter, spell: Spell): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.operands.map((one) => `(${printForeign(one, spell)})`).join(spell(filter.kind));
    case 'not':
      return `${spell('not')}(${printForeign(filter.operand, spell)})`;
    case 'comparison':
      return filter.property + spell(filter.operator) + foreignLiteral(filter.literal, spell);
    default:
      return printFilter(filter);
  }
}

function foreignLiteral(value: Parameters<typeof printLiteral>[0], spell: Spell): string {
  const { type, value: text } = value;
  if (type === 'Edm.Boolean') return spell(text).trim();
  const isForeign = spell('literal') !== ' literal ';
  if (!isForeign) return printLiteral(value);
  if (type === 'Edm.Guid' || type === 'Edm.DateTime') return text;
  if (type === 'Edm.String' && !text.includes('"')) return `"${text}"`;
  if (type === 'Edm.Int64' && (BigInt(text) > 2147483647n || BigInt(text) < -2147483648n)) return text;
  return printLiteral(value);
}

describe('The explanation of a filter', () => {
  it('finds no form of another language in a filter that the service accepts', () => {
    const own = filterOver(fc.oneof(comparisonOf(name, literal), bareFilter(name)));
    fc.assert(
      fc.property(fc.oneof(anyFilter, own), (filter) => {
        const text = printFilter(filter);
        expect(() => parseFilter(text)).not.toThrow();
        expect(explainFilter(text, { code: 'InvalidInput', variant: undefined }).cause).toBe('filter');
      }),
      { numRuns: runs(1000) },
    );
  });

  it('has fixes that keep the meaning of a filter in the spelling of other languages', () => {
    const own = filterOver(comparisonOf(fc.constantFrom('A', 'größe', 'PartitionKey'), literal));
    fc.assert(
      fc.property(own, fc.infiniteStream(fc.nat()), (filter, choices) => {
        const spell: Spell = (word) => {
          const choice = choices.next().value ?? 0;
          if (word === 'literal') return choice % 2 === 0 ? ' literal ' : '';
          const all = [word, ...(spellings[word] ?? [])];
          const chosen = all[choice % all.length] ?? word;
          return /^\w/.test(chosen) ? ` ${chosen} ` : chosen;
        };
        const foreign = printForeign(filter, spell);
        expect(parseFilter(fixedFilter(foreign)), foreign).toEqual(
          parseFilter(printForeign(filter, (word) => ` ${word} `)),
        );
      }),
      { numRuns: runs(150) },
    );
  });

  it('has only fixes that the service accepts, however many faults the filter has', () => {
    const token = fc.constantFrom(
      ...['A', 'B', 'eq', '==', '>', '&&', 'and', 'or', 'AND', 'not', '!', '(', ')', 'True', 'null', '5', '5000000000'],
      ...[
        "'x'",
        "''x''",
        "'O'Hara'",
        "'O\\'Hara'",
        '"x"',
        "''",
        "''''",
        '2026-01-01',
        '2026-01-01T00:00:00 01:00',
        'like',
      ],
      ...["'ab%'", 'between', 'in', "startswith(A,'ab')", "datetime'2026-01-01T00:00:00 01:00'", 'datetimeoffset', 'x'],
      ...['c9da6455-213d-42c9-9a79-3e9149a57833', "guid'1'", '99999999999999999999', ',', "'"],
    );
    const tokens = fc.array(fc.tuple(token, fc.constantFrom(' ', ' ', ' ', '')), { maxLength: 12 });
    const comparison = fc
      .tuple(fc.constantFrom('A', 'B'), fc.constantFrom('eq', '=', 'GT'), token)
      .map((parts) => parts.join(' '));
    const joined = fc
      .tuple(fc.array(comparison, { minLength: 1, maxLength: 4 }), fc.constantFrom(' and ', ' && ', ' OR '))
      .map(([all, word]) => all.join(word));
    const text = fc.oneof(
      joined,
      tokens.map((all) => all.flat().join('')),
    );
    fc.assert(
      fc.property(text, (filter) => {
        const found = explanationOf(filter);
        if (found?.fix === undefined) return;
        const { at = 0, length = 0, fix } = found;
        const sent = filter.slice(0, at) + fix + filter.slice(at + length);
        expect(() => parseFilter(sent), `${filter} → ${sent}`).not.toThrow();
      }),
      { numRuns: runs(3000) },
    );
  });

  it('has a string without the quotes that were added around it, in place of one with them', () => {
    const unit = fc.constantFrom('a', 'B', '5', ' ', '-', '@', '(', ',', "'", 'é');
    const value = fc
      .tuple(fc.constantFrom('a', 'é', '-'), fc.string({ unit, maxLength: 6 }))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), (values) => {
        const filterOf = (quote: string) =>
          values.map((one, at) => `P${at} eq ${quote}${one.replaceAll("'", "''")}${quote}`).join(' and ');
        const twice = filterOf("''");
        const found = explanationOf(twice);
        // Where the value itself ends in a quote, nobody can tell where it ends.
        fc.pre(found !== undefined && !values.some((one) => one.includes("'")));
        expect(found.cause).toBe('filter-quoted-twice');
        expect(parseFilter(fixedFilter(twice))).toEqual(parseFilter(filterOf("'")));
      }),
      { numRuns: runs(500) },
    );
  });

  it('has a range in place of startswith and like that finds the strings with the prefix', () => {
    const unit = fc.constantFrom('a', 'b', "'", '\u0000', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}');
    const text = fc.string({ unit, maxLength: 3 });
    const forms: readonly (readonly [form: (prefix: string) => string, isNegated: boolean])[] = [
      [(prefix) => `startswith(A,${prefix})`, false],
      [(prefix) => `startswith(A, ${prefix}) eq true`, false],
      [(prefix) => `startswith(A,${prefix}) ne false`, false],
      [(prefix) => `startswith(A,${prefix}) eq false`, true],
      [(prefix) => `startswith(A,${prefix})==False`, true],
      [(prefix) => `startswith(A,${prefix}) ne true`, true],
      [(prefix) => `not startswith(A,${prefix})`, true],
    ];
    fc.assert(
      fc.property(text, text, fc.constantFrom(...forms), (prefix, rest, [form, isNegated]) => {
        const fixed = fixedFilter(form(`'${prefix.replaceAll("'", "''")}'`));
        const matches = compileFilter<string>(parseFilter(fixed) as Filter, () => (value) => ({
          type: 'Edm.String',
          json: JSON.stringify(value),
        }));
        for (const value of [prefix + rest, rest])
          expect(matches(value), fixed).toBe(value.startsWith(prefix) !== isNegated);
      }),
      { numRuns: runs(1000) },
    );
  });
});
