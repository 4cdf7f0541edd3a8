import { TableError } from '../../protocol/errors.js';
import { hasForbiddenKeyCharacter } from '../../protocol/names.js';
import type { Property } from '../stored/entity.js';

/** An entity as sent in a request. A key that is missing or null in the body is absent. */
export interface SentEntity {
  readonly partitionKey: string | undefined;
  readonly rowKey: string | undefined;
  /** In the order of the body, without nulls. */
  readonly properties: readonly Property[];
  /** The text of the properties for `writeEntityText`, if the body has a known layout. */
  readonly members?: string | undefined;
}

/**
 * Checks that keys contain only characters that the service stores. If `named` is true, the message names the key: the
 * service does so for a key in the body of an insert, but not for a key in the URL.
 *
 * Errors: OutOfRangeInput (early). Source: data-model 2.
 */
export function checkKeyCharacters(
  { partitionKey, rowKey }: Pick<SentEntity, 'partitionKey' | 'rowKey'>,
  named: boolean,
): void {
  checkKey('PartitionKey', partitionKey, named);
  checkKey('RowKey', rowKey, named);
}

function checkKey(name: 'PartitionKey' | 'RowKey', value: string | undefined, named: boolean): void {
  if (value === undefined || !hasForbiddenKeyCharacter(value)) return;
  throw new TableError(
    'OutOfRangeInput',
    named
      ? { variant: { name: 'value-out-of-range', property: name, value } }
      : { variant: { name: 'path-key-character' }, evidence: () => ({ check: 'key-character', key: name, value }) },
  );
}
