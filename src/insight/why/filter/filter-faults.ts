import type { TableError } from '../../../protocol/errors.js';
import { filterDepthMax } from '../../../protocol/limits.js';
import type { Explanation } from '../explanation.js';

/** What each type of a literal needs. */
const literalAdvice: ReadonlyMap<string, string> = new Map([
  ['Binary', "Write X and pairs of hexadecimal digits in quotes: X'0aff'."],
  ['Guid', "Write guid and 32 digits in groups in quotes: guid'12345678-1234-1234-1234-123456789abc'."],
  ['DateTime', "Write datetime and a date with a time in quotes: datetime'2026-01-31T10:00:00Z'."],
  ['Int32', 'A whole number beyond 32 bits needs the suffix L.'],
  ['Int64', 'Write digits and L, within 64 bits: 5000000000L.'],
  ['Double', 'The number is too large for a Double.'],
  ['Single', 'The service has no Single. Write the number without F.'],
  ['Decimal', 'The service has no Decimal. Write the number without M.'],
]);

const gaps = {
  expression: 'a property or a constant',
  operator: 'an operator or a closing parenthesis',
  comma: 'a comma or a closing parenthesis',
} as const;

/** Explains a filter from the fault that the parser found. `text` is the whole filter. */
export function explainFilterFault(text: string, { code, variant }: Pick<TableError, 'code' | 'variant'>): Explanation {
  const cause = variant?.name ?? 'filter';
  switch (variant?.name) {
    case 'filter-character':
      return {
        cause,
        text: `At position ${variant.position} there is ${variant.character}, which a filter can only have in a string.`,
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
      const missing = variant.missing && ` There, ${gaps[variant.missing]} is expected.`;
      return { cause, text: `The filter cannot be read at position ${at}.${missing ?? ''}`, at, length: 1 };
    }
    case 'filter-string-unterminated':
      return {
        cause,
        text: 'A string in the filter has no end.',
        advice: "Write a quote inside a string twice: 'O''Hara'.",
      };
    case 'filter-too-deep':
      return { cause, text: `Parentheses and 'not' are nested more than ${filterDepthMax} levels deep.` };
    case 'filter-not-boolean':
      return { cause, text: 'The filter is a value and not a condition.', advice: "Compare it: PartitionKey eq 'p'." };
    case 'filter-operand-type':
    case 'filter-operand-types':
      return {
        cause,
        text: "'and', 'or' and 'not' need conditions, and one of them has a value.",
        advice: 'Compare each property on its own: A eq 1 or A eq 2.',
      };
  }
  if (code === 'NotImplemented') {
    return {
      cause,
      text: 'A comparison has something else than one property and one constant.',
      advice: "Write comparisons as Name eq 'x', and join them by and, or, not.",
    };
  }
  if (code === 'OutOfRangeInput') return { cause, text: 'A date in the filter is before 1601 or after 9999.' };
  return { cause, text: 'The filter is not one that the service accepts.' };
}
