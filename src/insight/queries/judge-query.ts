import { lowerAscii } from '../../protocol/names.js';
import type { Classification } from './classify-query.js';
import type { QueryFlag } from './query-classes.js';

/** A rule that a query breaks by its form, with the cause. */
export type QueryFault =
  | `table-scan/${'or-keys' | 'unequal-key' | 'rowkey-only' | 'timestamp-only' | 'properties-only' | 'unfiltered' | 'open-keys'}`
  | `partition-scan/${'or-keys' | 'unequal-key' | 'range' | 'properties-only'}`
  | 'type-mismatch/key';

/** The causes of a table scan. The first that applies counts. */
const tableCauses: readonly (readonly [QueryFlag, QueryFault])[] = [
  ['or-keys', 'table-scan/or-keys'],
  ['ne-keys', 'table-scan/unequal-key'],
  ['not-keys', 'table-scan/unequal-key'],
  ['rowkey-only', 'table-scan/rowkey-only'],
  ['timestamp-only', 'table-scan/timestamp-only'],
  ['properties-only', 'table-scan/properties-only'],
  ['unfiltered', 'table-scan/unfiltered'],
];

/**
 * Judges a query by its form alone, so that findings, budgets, `why` and explained filters agree. `isHead` means that it requests
 * only the first few entities and does not continue. Undefined if its form breaks no rule.
 */
export function judgeQuery(
  { class: name, flags }: Pick<Classification, 'class' | 'flags'>,
  isHead: boolean,
): QueryFault | undefined {
  if (flags.includes('key-type')) return 'type-mismatch/key';
  switch (name) {
    case 'table-scan':
      if (isHead && flags.includes('unfiltered')) return undefined;
      return tableCauses.find(([flag]) => flags.includes(flag))?.[1] ?? 'table-scan/open-keys';
    case 'partition-range':
    case 'partition-scan':
      if (flags.includes('or-keys')) return 'partition-scan/or-keys';
      if (flags.includes('ne-keys') || flags.includes('not-keys')) return 'partition-scan/unequal-key';
      if (!flags.includes('residual')) return undefined;
      return name === 'partition-range' ? 'partition-scan/range' : 'partition-scan/properties-only';
    default:
      return undefined;
  }
}

/** Returns the first option that is ignored because its name lacks the $: `filter`, `select` or `top`, as sent. */
export function ignoredOption(target: string): string | undefined {
  return /[?&](filter|select|top)=/i.exec(target)?.[1];
}

/** Returns a sentence about an ignored option. */
export function ignoredOptionWords(option: string): string {
  return `The option ${option} was ignored: its name is $${lowerAscii(option)}.`;
}
