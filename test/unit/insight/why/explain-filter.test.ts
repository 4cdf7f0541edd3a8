import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../../../src/query/filter/parse-filter.js';
import { explanationOf } from '../../../support/arbitrary/filter-fixes.js';

/** Returns the explanation of a filter that the parser rejects. */
function explain(text: string) {
  const found = explanationOf(text);
  if (!found) throw new Error(`the filter is accepted: ${text}`);
  return found;
}

describe('A rejected filter', () => {
  it.each([
    [
      "startswith(Name,'ab')",
      'filter-startswith',
      "startswith(Name,'ab')",
      "Write a range: Name ge 'ab' and Name lt 'ac'.",
    ],
    [
      "startswith(Name,'O''')",
      'filter-startswith',
      "startswith(Name,'O''')",
      "Write a range: Name ge 'O''' and Name lt 'O('.",
    ],
    ["A eq 1 and substringof('x',Name)", 'filter-substring', 'substringof(', undefined],
    ["tolower(Name) eq 'x'", 'filter-letter-case', 'tolower(', undefined],
    ["Name in ('a','b')", 'filter-in', 'Name in (', undefined],
    ['Name eq null', 'filter-null', 'eq null', undefined],
    ['A == 1', 'filter-sign-operator', '==', 'Write eq, ne, gt, ge, lt, le, and, or, not.'],
    ['A eq 1 && B eq 2', 'filter-sign-operator', '&&', undefined],
    ['Name eq "x"', 'filter-double-quotes', '"x"', undefined],
    ['A eq 5000000000', 'filter-int64-suffix', '5000000000', 'Write 5000000000L.'],
    ['At gt 2020-01-01', 'filter-datetime-prefix', '2020-01-01', "Write datetime'2020-01-01T00:00:00Z'."],
    [
      'At gt 2020-01-01T10:00:00Z',
      'filter-datetime-prefix',
      '2020-01-01T10:00:00Z',
      "Write datetime'2020-01-01T10:00:00Z'.",
    ],
    [
      'Id eq 12345678-1234-1234-1234-123456789abc',
      'filter-guid-prefix',
      '12345678-1234-1234-1234-123456789abc',
      "Write guid'12345678-1234-1234-1234-123456789abc'.",
    ],
    ["Name eq 'O'Hara'", 'filter-quote', "'", "Double the quotes inside a string: 'O''Hara'."],
    ["Name eq 'ab", 'filter-quote', "'", undefined],
    ["Name eq 'a && b' and", 'filter-syntax', '', undefined],
    ['Age = 3', 'filter-sign-operator', '=', undefined],
    ['Age <> 5', 'filter-sign-operator', '<>', undefined],
    ['A eq 1 And B eq 2', 'filter-word-case', 'And', 'Write and.'],
    ['Active eq True', 'filter-word-case', 'True', 'Write true.'],
    ['NOT A eq 1', 'filter-word-case', 'NOT', 'Write not.'],
    ["Name like 'ab%'", 'filter-like', "Name like 'ab%'", "Write a range: Name ge 'ab' and Name lt 'ac'."],
    ["Name like '%ab%'", 'filter-like', 'Name like', undefined],
    ['Age between 1 and 5', 'filter-between', 'Age between 1 and 5', 'Write Age ge 1 and Age le 5.'],
    ['Name is not null', 'filter-null', 'is not null', undefined],
    ['Name eq abc', 'filter-unquoted', 'abc', "If it is a string, write 'abc'."],
    ['year(At) eq 2026', 'filter-function', 'year(', undefined],
    ['A add 1 eq 2', 'filter-arithmetic', 'add', undefined],
    ["Address/City eq 'x'", 'filter-path', '/', undefined],
    ["A%20eq%20'x'", 'filter-encoded-twice', '%', undefined],
    ["User eq ''Peter''", 'filter-quoted-twice', "''Peter''", undefined],
    [
      "At gt datetime'2026-01-01T00:00:00 01:00'",
      'filter-date-plus',
      "datetime'2026-01-01T00:00:00 01:00'",
      'In a URL, + is a blank: encode it as %2B, or write the time in UTC with Z.',
    ],
    [
      "At gt datetimeoffset'2026-01-01T00:00:00Z'",
      'filter-datetime-prefix',
      "datetimeoffset'2026-01-01T00:00:00Z'",
      undefined,
    ],
    ["Id eq guid'1'", 'filter-literal', "guid'1'", undefined],
    ['Price eq 1.5m', 'filter-literal', '1.5m', 'The service has no Decimal. Write the number without M.'],
    [
      'A eq 99999999999999999999',
      'filter-int64-suffix',
      '99999999999999999999',
      'Store larger numbers as strings, or as Double.',
    ],
    ['A eq 1 or 2', 'filter-operand-types', '', undefined],
    [
      "At gt datetime'2026-01-01T00:00:00Z' and Name eq 'O'Hara'",
      'filter-quote',
      "'",
      "Double the quotes inside a string: 'O''Hara'.",
    ],
  ])('%s: %s', (text, cause, marked, advice) => {
    const found = explain(text);
    expect(found.cause).toBe(cause);
    expect(text.slice(found.at, (found.at ?? 0) + (found.length ?? 0))).toBe(marked);
    if (advice !== undefined) expect(found.advice).toBe(advice);
  });

  it('is explained without a place if the service names none', () => {
    expect(explain('PartitionKey')).toEqual({
      cause: 'filter-not-boolean',
      text: 'The filter is a value, not a condition.',
      advice: "Compare it: PartitionKey eq 'p'.",
    });
  });
});

describe('The fix of a rejected filter', () => {
  const fixed = (text: string) => {
    const { at = 0, length = 0, fix } = explain(text);
    return fix === undefined ? undefined : text.slice(0, at) + fix + text.slice(at + length);
  };

  it.each([
    ["startswith(Name,'O''') and B eq 1", "(Name ge 'O''' and Name lt 'O(') and B eq 1"],
    ['A==1', 'A eq 1'],
    ['A eq 1 && B eq 2', 'A eq 1 and B eq 2'],
    ["!(A eq 'x')", "not (A eq 'x')"],
    ['Name eq "O\'Hara"', "Name eq 'O''Hara'"],
    ['A eq 5000000000', 'A eq 5000000000L'],
    ['At gt 2020-01-01', "At gt datetime'2020-01-01T00:00:00Z'"],
    ['Id eq c9da6455-213d-42c9-9a79-3e9149a57833', "Id eq guid'c9da6455-213d-42c9-9a79-3e9149a57833'"],
    ["Name eq 'O'Hara'", "Name eq 'O''Hara'"],
    ["Name eq 'O\\'Hara'", "Name eq 'O''Hara'"],
    ["User eq ''Peter''", "User eq 'Peter'"],
    ["(User eq ''New York'') and A eq ''x''", "(User eq 'New York') and A eq 'x'"],
    ["User eq ''O''Hara''", "User eq 'O''Hara'"],
    ["At gt datetime'2026-01-01T00:00:00 01:00'", "At gt datetime'2026-01-01T00:00:00+01:00'"],
    ['At gt 2026-01-01T00:00:00 01:00', "At gt datetime'2026-01-01T00:00:00+01:00'"],
    ["A == 1 && Name eq 'O'Hara'", "A eq 1 and Name eq 'O''Hara'"],
    ['Age <> 5', 'Age ne 5'],
    ["startswith(Name,'ab') eq false", "(Name lt 'ab' or Name ge 'ac')"],
    ["Name like 'ab%'", "(Name ge 'ab' and Name lt 'ac')"],
    ["Name not like 'ab%'", "(Name lt 'ab' or Name ge 'ac')"],
    ['Age between 1 and 5', '(Age ge 1 and Age le 5)'],
    [
      "At gt datetime'2026-01-01T00:00:00Z' and Name eq 'O'Hara'",
      "At gt datetime'2026-01-01T00:00:00Z' and Name eq 'O''Hara'",
    ],
  ])('of %s is %s, which is accepted', (text, wanted) => {
    expect(fixed(text)).toBe(wanted);
    expect(() => parseFilter(wanted)).not.toThrow();
  });

  it.each(['A == 1 and Name eq null', "Name eq 'O'Hara' and tolower(B) eq 'x'"])(
    'of %s is not proposed, because another fault needs its writer',
    (text) => {
      expect(fixed(text)).toBeUndefined();
    },
  );

  it.each(['Name eq null', "tolower(Name) eq 'x'", "Name in ('a','b')"])('of %s is left to its writer', (text) => {
    expect(fixed(text)).toBeUndefined();
  });
});
