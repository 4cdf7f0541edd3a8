import type { TableError, TableErrorCode } from '../../protocol/errors.js';
import { describeError } from '../storage/describe-error.js';
import { cosmosTraits } from './traits.js';

/** An error of Cosmos DB. */
export interface CosmosError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Whether the text names the activity, as those of the layer before the engine do. */
  readonly isLong: boolean;
}

const { limits } = cosmosTraits;

const missing: CosmosError = {
  status: 404,
  code: 'ResourceNotFound',
  message: 'The specified resource does not exist.',
  isLong: false,
};

/**
 * The recorded errors, and those of limits, whose texts in storage accounts name other limits. A missing table has no code of
 * its own. Source: cosmos 8; cosmos 13.
 */
const catalogue: { readonly [Code in TableErrorCode]?: Omit<CosmosError, 'code'> & { readonly code?: string } } = {
  ResourceNotFound: missing,
  TableNotFound: missing,
  TableAlreadyExists: { status: 409, message: 'The specified table already exists.', isLong: false },
  EntityAlreadyExists: { status: 409, message: 'The specified entity already exists.', isLong: false },
  UpdateConditionNotSatisfied: {
    status: 412,
    message: 'The update condition specified in the request was not satisfied.',
    isLong: false,
  },
  PropertiesNeedValue: { status: 400, message: 'PartitionKey/RowKey cannot be empty', isLong: true },
  InvalidInput: { status: 400, message: 'One of the input values is invalid.', isLong: true },
  InvalidDuplicateRow: {
    status: 400,
    message:
      'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
    isLong: true,
  },
  EntityTooLarge: {
    status: 400,
    message: `The entity is larger than the maximum allowed size (${limits.bytes / 1024 / 1024}MB).`,
    isLong: false,
  },
  // Only keys have a limit of their own.
  PropertyValueTooLarge: {
    status: 400,
    message: `The PartitionKey may have ${limits.partitionKeyUnits} characters, and the RowKey ${limits.rowKeyUnits}.`,
    isLong: false,
  },
  TooManyProperties: {
    status: 400,
    message: 'The entity contains more properties than allowed. Each entity can include up to 255.',
    isLong: false,
  },
  MediaTypeNotSupported: { status: 415, message: 'None of the provided media types are supported', isLong: true },
  NotImplemented: { status: 501, message: 'The requested operation is not supported.', isLong: true },
};

/** The text for a fault of the query string or the path. Source: cosmos 8. */
const invalidUrl = 'Request url is invalid.';

/** Returns an error as Cosmos DB answers it. What is not recorded is as in storage accounts. Source: cosmos 8. */
export function describeCosmosError(error: TableError): CosmosError {
  const { code, variant } = error;
  const name = variant?.name ?? '';
  if (name === 'signed-range') {
    const message = 'Shared access signature with PartitionKey or RowKey are not supported';
    return { status: 501, code, message, isLong: true };
  }
  const row = catalogue[code];
  if (row && (name === '' || code !== 'ResourceNotFound')) {
    const isUrl = code === 'InvalidInput' && /^(?:filter|select|path)-/.test(name);
    return { code, ...row, ...(isUrl && { message: invalidUrl }) };
  }
  const { status, message, format } = describeError(error);
  return { status, code, message, isLong: format !== 'engine' };
}
