import type { TableError } from '../../../protocol/errors.js';
import type { Explanation } from '../../../protocol/explanation.js';
import { filterDepthMax } from '../../../protocol/limits.js';

/** What each type of a literal needs. */
const literalAdvice: ReadonlyMap<string, string> = new Map([
  ['Binary', "Write X and quoted pairs of hexadecimal digits: X'0aff'."],
  ['Guid', "Write guid and a quoted GUID: guid'12345678-1234-1234-1234-123456789abc'."],
  ['DateTime', "Write datetime and a quoted date with a time: datetime'2026-01-31T10:00:00Z'."],
  ['Int32', 'An integer beyond 32 bits needs the suffix L.'],
  ['Int64', 'Write digits and L, within 64 bits: 5000000000L.'],
  ['Double', 'The number is too large for a Double.'],
  ['Single', 'The service has no Single. Write the number without F.'],
  ['Decimal', 'The service has no Decimal. Write the number without M.'],
]);

const gaps = {
  expression: 'A property or a constant',
  operator: 'An operator or a closing parenthesis',
  comma: 'A comma or a closing parenthesis',
} as const;

/** Explains a filter from the fault that the parser found. `text` is the whole filter. */
export function explainFilterFault(text: string, { code, variant }: Pick<TableError, 'code' | 'variant'>): Explanation {
  const cause = !variant || variant.name === 'query-input' ? 'filter' : variant.name;
  switch (variant?.name) {
    case 'filter-character':
      return {
        cause,
        text: `At position ${variant.position} there is ${variant.character}, which is only allowed inside a string.`,
        at: variant.position,
        length: variant.character.length,
      };
    case 'filter-literal': {
      const advice = literalAdvice.get(variant.type);
      return {
        cause,
        text: `${variant.literal} at position ${variant.position} is not a valid ${variant.type}.`,
        ...(advice !== undefined && { advice }),
        at: variant.position,
        length: variant.literal.length,
      };
    }
    case 'filter-syntax': {
      const at = Math.min(variant.position, text.length);
      const missing = variant.missing && ` ${gaps[variant.missing]} was expected there.`;
      return { cause, text: `The filter is malformed at position ${at}.${missing ?? ''}`, at, length: 1 };
    }
    case 'filter-string-unterminated':
      return {
        cause,
        text: 'A string in the filter is not closed.',
        advice: "Double the quotes inside a string: 'O''Hara'.",
      };
    case 'filter-too-deep':
      return { cause, text: `Parentheses and 'not' are nested more than ${filterDepthMax} levels deep.` };
    case 'filter-not-boolean':
      return { cause, text: 'The filter is a value, not a condition.', advice: "Compare it: PartitionKey eq 'p'." };
    case 'filter-operand-type':
    case 'filter-operand-types':
      return {
        cause,
        text: "'and', 'or' and 'not' need conditions, but one has a value.",
        advice: 'Compare each property on its own: A eq 1 or A eq 2.',
      };
  }
  if (code === 'NotImplemented') {
    return {
      cause,
      text: 'A comparison needs exactly one property and one constant.',
      advice: "Write comparisons such as Name eq 'x', and combine them with and, or, not.",
    };
  }
  if (code === 'OutOfRangeInput') return { cause, text: 'A date in the filter is not between 1601 and 9999.' };
  return { cause, text: 'The service does not accept the filter.' };
}
