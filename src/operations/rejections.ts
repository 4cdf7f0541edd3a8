import type { Change } from '../entity/stored/change.js';
import { etagOf } from '../entity/stored/entity.js';
import { entityBytes } from '../entity/stored/entity-size.js';
import type { TableErrorCode } from '../protocol/error-codes.js';
import { TableError } from '../protocol/errors.js';
import type { RejectionEvidence, SentSize } from '../protocol/rejection-evidence.js';
import type { ServiceTraits } from '../protocol/service-traits.js';
import type { Rejection, TableHandle } from '../store/store.js';
import type { MissingKeys } from './operation.js';

/** The error code of each reason of the store. A new reason does not compile until it has a code. */
const codeOfRejection = {
  'table-missing': 'TableNotFound',
  'table-exists': 'TableAlreadyExists',
  'entity-exists': 'EntityAlreadyExists',
  'entity-missing': 'ResourceNotFound',
  'etag-differs': 'UpdateConditionNotSatisfied',
  'properties-too-many': 'TooManyProperties',
  'property-name-too-long': 'PropertyNameTooLong',
  'entity-too-large': 'EntityTooLarge',
  'property-value-too-large': 'PropertyValueTooLarge',
} as const satisfies Record<Rejection['reason'], TableErrorCode>;

/** Returns the service's error for a rejection of the store. `rejected` is the change at fault, if there is one. */
export function errorOfRejection(rejection: Rejection, rejected?: RejectedChange): TableError {
  const { reason, at } = rejection;
  return new TableError(codeOfRejection[reason], {
    at,
    ...(rejected && { evidence: evidenceOf(rejection, rejected) }),
  });
}

/** Returns the error for a body that lacks keys. */
export function errorOfMissingKeys({ keys, sent }: Pick<MissingKeys, 'keys' | 'sent'>): TableError {
  const variant = keys.includes('PartitionKey') ? ({ name: 'partition-key-missing' } as const) : undefined;
  const evidence = () => ({ check: 'member-missing', members: keys, sent }) as const;
  return new TableError('PropertiesNeedValue', { variant, evidence });
}

interface RejectedChange {
  readonly table: string;
  readonly traits: ServiceTraits;
  readonly change: Change;
}

function evidenceOf(
  rejection: Rejection,
  { table, traits, change }: RejectedChange,
): (() => RejectionEvidence) | undefined {
  const { reason } = rejection;
  if (stateReasons.has(reason)) return () => stateOf(rejection, table, change);
  return change.kind !== 'delete' && sizeReasons.has(reason) ? () => sizesOf(reason, change, traits) : undefined;
}

/** The reasons that the stored entity explains. */
const stateReasons: ReadonlySet<Rejection['reason']> = new Set(['entity-exists', 'entity-missing', 'etag-differs']);

function stateOf({ existing }: Rejection, table: string, change: Change): RejectionEvidence {
  return {
    check: 'stored-entity',
    table,
    ...change.key,
    sentEtag: change.kind === 'insert' ? undefined : change.ifMatch,
    presentEtag: existing && etagOf(existing),
  };
}

/** The reasons that the sent sizes explain. */
const sizeReasons: ReadonlySet<Rejection['reason']> = new Set([
  'properties-too-many',
  'property-name-too-long',
  'entity-too-large',
  'property-value-too-large',
]);

/** Maximum number of properties in the evidence. */
const namedMax = 8;

/** Returns the sent sizes, the likely culprit first. */
function sizesOf(
  reason: Rejection['reason'],
  { key, properties }: Exclude<Change, { readonly kind: 'delete' }>,
  traits: ServiceTraits,
): RejectionEvidence {
  // Some services keep the places of the keys among the properties, without a value.
  const sent = properties.filter(({ valueBytes, name }) => valueBytes > 0 || !name.startsWith('odata.'));
  const sizes = [
    ...sent.map(({ name, type, valueBytes }) => ({ name, type, bytes: valueBytes })),
    { name: 'PartitionKey', type: undefined, bytes: 2 * key.partitionKey.length },
    { name: 'RowKey', type: undefined, bytes: 2 * key.rowKey.length },
  ];
  const weigh = (size: SentSize) => {
    if (reason === 'property-name-too-long') return size.name.length;
    return reason === 'property-value-too-large' ? size.bytes / largestOf(size, traits) : size.bytes;
  };
  const largest = sizes.sort((a, b) => weigh(b) - weigh(a)).slice(0, namedMax);
  return {
    check: 'entity-size',
    bytes: entityBytes(key, properties),
    count: sent.length,
    properties: largest,
    traits,
  };
}

/** Returns the size limit of a key, or of a value of a type. Unit: bytes. */
function largestOf({ name, type }: SentSize, { limits }: ServiceTraits): number {
  if (type === undefined) return 2 * (name === 'PartitionKey' ? limits.partitionKeyUnits : limits.rowKeyUnits);
  if (type === 'Edm.String') return 2 * limits.stringUnits;
  return type === 'Edm.Binary' ? limits.binaryBytes : limits.bytes;
}

/**
 * Returns the fault to report for a fault before the lookup of the table: a missing table comes first. Only requests with a
 * fault need this separate lookup, which saves all others a round trip to the engine.
 */
export async function missingTableFirst(table: TableHandle, fault: unknown): Promise<unknown> {
  return fault instanceof TableError && !(await table.find()) ? new TableError('TableNotFound') : fault;
}
