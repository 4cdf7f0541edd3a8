import { TableError } from '../protocol/errors.js';
import { hasForbiddenKeyCharacter } from '../protocol/names.js';
import type { Property } from './entity.js';

/** An entity as sent in a request. A key that is missing or null in the body is absent. */
export interface SentEntity {
  readonly partitionKey?: string;
  readonly rowKey?: string;
  /** In the order of the body, without nulls. */
  readonly properties: readonly Property[];
}

/**
 * Checks that keys contain only characters that the service stores. If `named` is true, the message names the key: the
 * service does so for a key in the body of an insert, but not for a key in the URL.
 *
 * Errors: OutOfRangeInput (early). Source: data-model 2.
 */
export function checkKeyCharacters(
  keys: { readonly partitionKey?: string; readonly rowKey?: string },
  named: boolean,
): void {
  for (const [name, value] of [
    ['PartitionKey', keys.partitionKey],
    ['RowKey', keys.rowKey],
  ] as const) {
    if (value === undefined || !hasForbiddenKeyCharacter(value)) continue;
    throw new TableError(
      'OutOfRangeInput',
      named
        ? { variant: { name: 'value-out-of-range', property: name, value } }
        : { evidence: () => ({ check: 'key-character', key: name, value }) },
    );
  }
}
