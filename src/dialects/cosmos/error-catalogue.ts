import type { TableErrorCode } from '../../protocol/error-codes.js';
import type { ErrorVariant, TableError } from '../../protocol/errors.js';
import { describeError } from '../storage/describe-error.js';
import { cosmosTraits } from './traits.js';

/** The text for a fault of the query string or the path. Source: cosmos 8. */
const invalidUrl = 'Request url is invalid.';

/** The part of the service's documentation that its error texts refer to. */
const reference = 'https://docs.microsoft.com/en-us/rest/api/storageservices';

/** The text for a batch whose envelope cannot be read. Source: cosmos 15.10; cosmos 15.16. */
const malformedBatch = `The batch request body is malformed. Please see ${reference}/performing-entity-group-transactions`;

const rejectedScript = {
  message: JSON.stringify({
    Errors: [
      'Requests originating from scripts cannot reference partition keys other than the one for which client request was submitted.',
    ],
  }),
  number: 412,
};

/**
 * The text for a change set with several partition keys, which the service executes as a script. The stack trace of the service is
 * not known. Source: cosmos 15.20.
 */
const failedScript = `Message: ${JSON.stringify({
  Errors: [
    `Encountered exception while executing function. Exception = Error: OperationCount:0.\n${JSON.stringify(rejectedScript)}\r\nStack trace: (shortened)`,
  ],
})}`;

/** Returns the text for an invalid property name. Source: cosmos 15.5. */
function invalidPropertyName(name: string): string {
  return `The property name '${name}' is invalid. See ${reference}/Understanding-the-Table-Service-Data-Model`;
}

/** Returns the text for a wrong signature. Source: cosmos 15.9. */
function wrongSignature(signed: string): string {
  return (
    "The input authorization token can't serve the request. Please check that the expected payload is built as per the protocol, " +
    `and check the key being used. Server used the following payload to sign: '${signed}'`
  );
}

/** The text for credentials that the service cannot read, and for bearer tokens that it does not accept. Source: cosmos 15.17. */
const unreadableCredentials =
  "Authorization header doesn't confirm to the required format. Please verify and try again.";

/** Returns the text for an invalid character in a table name. Source: cosmos 15.11. */
function invalidInTableName(character: string): string {
  return `The table name contains an invalid character ${character}.`;
}

/** The text for a table name that is too long. Source: cosmos 15.11. */
const longTableName = `Message: ${JSON.stringify({
  Errors: [
    "The input name is invalid. Ensure to provide a unique non-empty string less than '255' characters.",
    'The request payload is invalid. Ensure to provide a valid request payload.',
  ],
})}`;

/**
 * The end of an error text, before the id of the request: nothing; the id again with the build, for errors of the layer before
 * the engine; or the id with the address within the engine, for errors that the engine forwards.
 */
type ErrorForm = 'short' | 'long' | 'forwarded';

/** An error of Cosmos DB. */
export interface CosmosError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly form: ErrorForm;
}

const { limits } = cosmosTraits;

const missing: CosmosError = {
  status: 404,
  code: 'ResourceNotFound',
  message: 'The specified resource does not exist.',
  form: 'short',
};

/**
 * The recorded errors, and those of limits, whose texts in storage accounts name other limits. A missing table has no separate
 * code. Source: cosmos 8; cosmos 13; cosmos 15.
 */
const catalogue: { readonly [Code in TableErrorCode]?: Omit<CosmosError, 'code'> & { readonly code?: string } } = {
  ResourceNotFound: missing,
  TableNotFound: missing,
  // The brackets are empty. Source: cosmos 15.14.
  TableAlreadyExists: { status: 409, message: 'The specified table: [] already exists.', form: 'short' },
  EntityAlreadyExists: { status: 409, message: 'The specified entity already exists.', form: 'short' },
  UpdateConditionNotSatisfied: {
    status: 412,
    message: 'The update condition specified in the request was not satisfied.',
    form: 'short',
  },
  PropertiesNeedValue: { status: 400, message: 'PartitionKey/RowKey cannot be empty', form: 'long' },
  InvalidInput: { status: 400, message: 'One of the input values is invalid.', form: 'long' },
  InvalidUri: { status: 400, code: 'InvalidInput', message: invalidUrl, form: 'long' },
  InvalidDuplicateRow: {
    status: 400,
    message:
      'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
    form: 'long',
  },
  PropertyNameInvalid: { status: 400, message: 'The property name is invalid.', form: 'long' },
  EntityTooLarge: {
    status: 400,
    message: `The entity is larger than the maximum allowed size (${limits.bytes / 1024 / 1024}MB).`,
    form: 'short',
  },
  // Only keys have their own limit.
  PropertyValueTooLarge: {
    status: 400,
    message: `The PartitionKey may have ${limits.partitionKeyUnits} characters, and the RowKey ${limits.rowKeyUnits}.`,
    form: 'short',
  },
  TooManyProperties: {
    status: 400,
    message: 'The entity contains more properties than allowed. Each entity can include up to 255.',
    form: 'short',
  },
  MediaTypeNotSupported: { status: 415, message: 'None of the provided media types are supported', form: 'long' },
  MethodNotAllowed: { status: 405, message: 'The requested operation is not supported.', form: 'long' },
  NotImplemented: { status: 501, message: 'The requested operation is not supported.', form: 'long' },
};

/** Credentials that the service cannot read, or does not accept at all. Source: cosmos 15.17. */
const unauthorized: CosmosError = {
  status: 401,
  code: 'Unauthorized',
  message: unreadableCredentials,
  form: 'long',
};

type Variant<Name extends ErrorVariant['name']> = Extract<ErrorVariant, { readonly name: Name }>;

/** The changes of each variant to the row of its code. Source: cosmos 15. */
const variants: { readonly [Name in ErrorVariant['name']]?: (variant: Variant<Name>) => Partial<CosmosError> } = {
  'bearer-rejected': () => unauthorized,
  'bearer-challenged': () => unauthorized,
  'tenant-challenged': () => ({}),
  'signature-wrong': ({ signed }) => ({ message: wrongSignature(signed) }),
  'table-name-character': ({ character }) => ({ message: invalidInTableName(character) }),
  'table-name-too-long': () => ({ status: 400, code: 'BadRequest', message: longTableName, form: 'forwarded' }),
  // The handler of the request names itself. Source: cosmos 15.11.
  'table-name-cut': () => ({ message: 'RequestHandler.Delete' }),
  // Not recorded: nothing forwards it.
  'path-key-character': () => ({ form: 'long' }),
  'property-name': ({ property }) => ({ message: invalidPropertyName(property) }),
  'batch-malformed': () => ({ message: malformedBatch }),
  // The words of storage accounts: no such limit was recorded.
  'changes-too-many': ({ max }) => ({
    message: `The batch request operation exceeds the maximum ${max} changes per change set.`,
  }),
  // Source: cosmos 15.13.
  'signed-range': () => ({ message: 'Shared access signature with PartitionKey or RowKey are not supported' }),
  'partition-keys': () => ({ status: 400, code: 'BadRequest', message: failedScript, form: 'forwarded' }),
};

/** Returns an error as Cosmos DB answers it. Unrecorded errors fall back to the storage catalogue. Source: cosmos 8. */
export function describeCosmosError(error: TableError): CosmosError {
  const { code, variant } = error;
  const row = rowOf(error);
  if (variant === undefined) return row;
  const change = variants[variant.name] as ((variant: ErrorVariant) => Partial<CosmosError>) | undefined;
  if (change) return { ...row, ...change(variant) };
  const isUrl = code === 'InvalidInput' && /^(?:filter|select|path)-/.test(variant.name);
  return isUrl ? { ...row, message: invalidUrl } : row;
}

/** The codes of storage accounts for credentials, signatures and their rights. */
const ofCredentials = /^(?:No)?Auth(?:entication|orization)/;

function rowOf(error: TableError): CosmosError {
  const { code, variant } = error;
  const row = catalogue[code];
  // A variant of ResourceNotFound is an unknown account, which the text of storage accounts names.
  if (row && (code !== 'ResourceNotFound' || variant === undefined)) return { code, ...row };
  if (code === 'InvalidAuthenticationInfo') return unauthorized;
  const { status, message, format } = describeError(error);
  // The codes of rejected credentials and signatures are names of the status. Source: cosmos 15.9; cosmos 15.17.
  if (ofCredentials.test(code))
    return { status, code: status === 401 ? 'Unauthorized' : 'Forbidden', message, form: 'long' };
  return { status, code, message, form: format === 'engine' ? 'short' : 'long' };
}
