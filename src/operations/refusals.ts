import { TableError, type TableErrorCode } from '../protocol/errors.js';
import type { Refusal, TableHandle } from '../store/store.js';

/** What the service calls each reason of the store. A new reason does not compile until it has a code. */
const codeOfRefusal = {
  'table-missing': 'TableNotFound',
  'table-exists': 'TableAlreadyExists',
  'entity-exists': 'EntityAlreadyExists',
  'entity-missing': 'ResourceNotFound',
  'etag-differs': 'UpdateConditionNotSatisfied',
  'properties-too-many': 'TooManyProperties',
  'property-name-too-long': 'PropertyNameTooLong',
  'entity-too-large': 'EntityTooLarge',
  'property-value-too-large': 'PropertyValueTooLarge',
} as const satisfies Record<Refusal['reason'], TableErrorCode>;

/** A refusal of the store in the service's words. */
export function errorOfRefusal({ reason, at }: Refusal): TableError {
  return new TableError(codeOfRefusal[reason], { at });
}

/**
 * Returns the fault to report when one was found before the table was looked for: a missing table comes first. This saves
 * requests without a fault a round trip to the engine.
 */
export async function missingTableFirst(table: TableHandle, fault: unknown): Promise<unknown> {
  return fault instanceof TableError && !(await table.find()) ? new TableError('TableNotFound') : fault;
}
