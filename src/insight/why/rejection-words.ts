import type { TableErrorCode } from '../../protocol/error-codes.js';
import type { ErrorVariant } from '../../protocol/errors.js';
import type { Explanation } from '../../protocol/explanation.js';
import {
  binaryBytesMax,
  bodyBytesMax,
  bodyMembersMax,
  entityBytesMax,
  entityPropertiesMax,
  keyUnitsMax,
  propertyNameUnitsMax,
  tableNameLengthMax,
  tableNameLengthMin,
} from '../../protocol/limits.js';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** The meaning and the fix of each code in a developer's words, for lack of more exact facts. */
export const rejectionWords: Readonly<Record<TableErrorCode, Pick<Explanation, 'text' | 'advice'>>> = {
  ResourceNotFound: {
    text: 'No such entity, account or path.',
    advice: 'Check the keys and the account for typos. For an optional lookup, this response is expected.',
  },
  TableNotFound: {
    text: 'The table does not exist in this account.',
    advice: 'Create the table first, or fix the name.',
  },
  TableBeingDeleted: {
    text: 'A table of this name is being deleted.',
    advice: 'Wait up to a minute, or use another name.',
  },
  TableAlreadyExists: { text: 'The table already exists.', advice: 'Create it once at the start of the program.' },
  EntityAlreadyExists: {
    text: 'An entity with these keys already exists.',
    advice: 'Use insert-or-replace or insert-or-merge if that is fine, or choose another RowKey.',
  },
  UpdateConditionNotSatisfied: {
    text: "The ETag in If-Match is not the entity's current one.",
    advice: 'Read the entity again, reapply the change, and send the new ETag.',
  },
  ConditionNotMet: {
    text: 'The ETag in If-Match has no timestamp.',
    advice: 'Send the ETag as the service returned it.',
  },
  InvalidInput: {
    text: 'Part of the request is malformed.',
    advice: 'Compare the body and the query options with the reference.',
  },
  OutOfRangeInput: { text: 'A value is out of range.' },
  InvalidResourceName: {
    text: 'The table name contains a character that is not allowed.',
    advice: 'Use letters and digits, starting with a letter.',
  },
  PropertiesNeedValue: {
    text: 'A key is missing from the body. In Cosmos DB an empty key counts as missing.',
    advice: 'Send PartitionKey and RowKey as strings.',
  },
  PropertyNameInvalid: {
    text: 'A property name contains a character that is not allowed.',
    advice: 'Use letters, digits and underscores, not starting with a digit.',
  },
  PropertyNameTooLong: { text: `The name of a property is longer than ${propertyNameUnitsMax} characters.` },
  PropertyValueTooLarge: {
    text: `A property is larger than ${binaryBytesMax / kibibyte} KiB, or a key than ${(2 * keyUnitsMax) / kibibyte} KiB.`,
    advice: 'Split it into several properties, or store it as a blob and keep its address.',
  },
  TooManyProperties: {
    text: `The entity has more than ${entityPropertiesMax} properties, or its body more than ${bodyMembersMax} members with nulls and annotations.`,
    advice: 'Split it into several entities.',
  },
  EntityTooLarge: {
    text: `The entity is larger than ${entityBytesMax / mebibyte} MiB.`,
    advice: 'Split it, or store large values as blobs.',
  },
  DuplicatePropertiesSpecified: { text: 'The body contains a property twice.' },
  InvalidDuplicateRow: {
    text: 'Two operations in the transaction address the same entity.',
    advice: 'Combine the changes to an entity into one operation.',
  },
  CommandsInBatchActOnDifferentPartitions: {
    text: 'The operations in the transaction are in different partitions or tables.',
    advice: 'Send one transaction per partition.',
  },
  BatchOperationNotSupported: { text: 'The operation is not allowed in a transaction.' },
  InvalidUri: { text: 'The path of the URL is malformed.' },
  RequestUrlFailedToParse: {
    text: 'The URL contains invalid percent-encoding or an invalid character.',
    advice: 'Percent-encode the keys in the path.',
  },
  InvalidHeaderValue: {
    text: 'A header has an invalid value.',
    advice: 'Check x-ms-version first: it is a date.',
  },
  InvalidQueryParameterValue: { text: 'A query parameter has an invalid value.' },
  MissingContentLengthHeader: { text: 'The request has a body without a length.', advice: 'Send Content-Length.' },
  RequestBodyTooLarge: {
    text: `The body is larger than ${bodyBytesMax / mebibyte} MiB.`,
    advice: 'Send fewer operations in a transaction.',
  },
  XMethodNotUsingPost: { text: 'X-HTTP-Method needs POST.' },
  XMethodIncorrectValue: { text: 'X-HTTP-Method does not allow this verb.' },
  XMethodIncorrectCount: { text: 'X-HTTP-Method appears twice.' },
  HostNotAllowed: { text: 'A browser may not use this host.', advice: 'Start the server with --allowedHosts.' },
  MethodNotAllowed: { text: 'The resource does not have this verb.' },
  UnsupportedHttpVerb: { text: 'The service does not have this verb.' },
  AtomFormatNotSupported: {
    text: 'This version does not accept Atom as a named format.',
    advice: 'Send and accept application/json.',
  },
  JsonFormatNotSupported: { text: 'This version does not have JSON.', advice: 'Send a newer x-ms-version.' },
  JsonVerboseFormatNotSupported: {
    text: 'Verbose JSON is not supported.',
    advice: 'Accept application/json;odata=nometadata.',
  },
  MediaTypeNotSupported: { text: 'The media type of the request is not supported.', advice: 'Send application/json.' },
  InvalidXmlDocument: { text: 'The XML body is malformed.' },
  InvalidXmlNodeValue: { text: 'The XML body contains an invalid value.' },
  CorsPreflightFailure: {
    text: "None of the account's CORS rules allows this origin, verb and headers.",
    advice: 'Set the CORS rules of the account.',
  },
  NotImplemented: { text: 'The service does not have this feature.' },
  AuthenticationFailed: { text: 'The credentials are invalid.' },
  KeyBasedAuthenticationNotPermitted: {
    text: 'This server does not accept requests signed with an account key.',
    advice: 'Use an identity, or remove "keys": "rejected" from the identity file.',
  },
  NoAuthenticationInformation: {
    text: 'The request has no credentials.',
    advice: 'Send an Authorization header, or a shared access signature in the query.',
  },
  InvalidAuthenticationInfo: {
    text: 'The Authorization header is malformed.',
    advice: 'Write it as SharedKey account:signature.',
  },
  AuthorizationFailure: { text: 'The signature does not grant access to this resource.' },
  AuthorizationPermissionMismatch: { text: 'The signature does not permit the operation.' },
  AuthorizationResourceTypeMismatch: { text: 'The signature does not cover this type of resource.' },
  AuthorizationProtocolMismatch: { text: 'The signature needs HTTPS.' },
  AuthorizationSourceIPMismatch: { text: 'The signature does not allow this IP address.' },
  AuthorizationServiceMismatch: { text: 'The signature is not for tables.' },
  InsufficientAccountPermissions: {
    text: 'The secondary endpoint is read-only.',
    advice: 'Write to the primary endpoint.',
  },
  TooManyRequests: {
    text: 'The account has used up its request units.',
    advice: 'Retry after the time in x-ms-retry-after-ms.',
  },
  ServerBusy: { text: 'The server is too busy for the request.', advice: 'Retry with exponential backoff.' },
  OperationTimedOut: {
    text: 'The operation may or may not have been applied.',
    advice: 'Read the entity before you retry, or make the write idempotent.',
  },
  InternalError: { text: 'The server failed.', advice: 'Its log has the reason, under the request ID.' },
};

type Words = Pick<Explanation, 'text' | 'advice'>;

const nameLength: Words = {
  text: `The name of the table has fewer than ${tableNameLengthMin} or more than ${tableNameLengthMax} characters.`,
};

/** Returns the meaning of an error variant in a developer's words; undefined if the code alone is enough. */
export function wordsOfVariant(variant: ErrorVariant): Words | undefined {
  switch (variant.name) {
    case 'account-unknown':
      if (variant.ending !== undefined) {
        return {
          text: variant.ending,
          advice: 'A client outlived its test: end it, and what it does in the background, before the test ends.',
        };
      }
      return {
        text: 'The server has no account with this name.',
        advice: `Its accounts are: ${variant.accounts.join(', ')}. Check the path or the host of the URL.`,
      };
    case 'host-not-allowed':
      return { text: 'A browser may not use this host.', advice: variant.advice };
    case 'path-control-character':
      return {
        text: 'The path has a control character, which the web server in front of the service rejects.',
        advice:
          'Leave control characters out of keys and names. In a transaction, keys in addresses may not have them either.',
      };
    case 'target-too-long':
      return {
        text: `The address is longer than ${variant.max} bytes. The service accepts about half of that.`,
        advice: 'Shorten the filter, split it into several queries, or send the entities in a transaction.',
      };
    case 'content-type-missing':
      return { text: 'The request has no Content-Type.', advice: 'Send Content-Type: application/json.' };
    case 'path-syntax':
    case 'key-count':
      return {
        text: 'The keys in the path are malformed.',
        advice:
          "Write them as strings in single quotes, doubling quotes and encoding percent signs as %25: (PartitionKey='p',RowKey='O''Hara').",
      };
    case 'path-string-unterminated':
    case 'path-character':
      return {
        text: `The keys in the path are malformed: a quote in a key is not doubled in ${variant.text}.`,
        advice: "Double the quote: 'O''Hara'.",
      };
    case 'path-without-table':
      return {
        text: 'The path contains keys without a table.',
        advice: "Write Table(PartitionKey='p',RowKey='r').",
      };
    case 'path-name-length':
    case 'table-name-length':
      return nameLength;
    case 'table-name-too-long':
      return { text: `The table name has ${variant.table.length} characters, which is too many.` };
    case 'table-name-character':
      return { text: `The name of the table has ${variant.character}, which is not allowed.` };
    case 'table-name-reserved':
      return { text: "No table can have the name 'Tables'." };
    case 'comp-unknown':
      return {
        text: 'The service does not support this combination of comp, restype and verb.',
        advice: 'Service properties need restype=service&comp=properties, access policies comp=acl.',
      };
    case 'xml-not-accepted':
      return { text: 'The response is XML, which Accept does not allow.', advice: 'Accept application/xml.' };
    case 'preflight-header-missing':
      return { text: 'A preflight request needs the headers Origin and Access-Control-Request-Method.' };
    case 'etag-malformed':
      return {
        text: `${variant.etag} is not a valid ETag.`,
        advice: 'Send an ETag in If-Match exactly as the service returned it, including W/ and the quotes, or send *.',
      };
    case 'if-none-match':
      return {
        text: 'Writes do not support If-None-Match.',
        advice: 'Use Insert Entity to write only if the entity does not exist.',
      };
    case 'policy-field-repeated':
      return {
        text: 'The signature repeats a field of its stored access policy.',
        advice: 'Set start, expiry and permissions in only one of the two.',
      };
    case 'operation-empty':
      return { text: 'An operation in the transaction has no request.' };
    case 'batch-malformed':
      return {
        text: 'The transaction body is not the multipart message described by Content-Type.',
        advice:
          'Start each part with the boundary from Content-Type, put an empty line after its headers, and end lines with CRLF.',
      };
    case 'changes-too-many':
      return {
        text: `The transaction has more than ${variant.max} operations.`,
        advice: `Split it into transactions of at most ${variant.max}.`,
      };
    case 'partition-keys':
      return {
        text: 'The operations in the transaction have different PartitionKeys.',
        advice: 'Send one transaction per PartitionKey.',
      };
    default:
      return undefined;
  }
}
