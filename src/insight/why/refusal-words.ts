import type { TableErrorCode } from '../../protocol/errors.js';
import {
  binaryBytesMax,
  bodyBytesMax,
  bodyMembersMax,
  entityBytesMax,
  entityPropertiesMax,
  keyUnitsMax,
  propertyNameUnitsMax,
} from '../../protocol/limits.js';
import type { Explanation } from './explanation.js';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** What a code means in the words of a developer, and what to do; used where nothing more exact is known. */
export const refusalWords: Readonly<Record<TableErrorCode, Pick<Explanation, 'text' | 'advice'>>> = {
  ResourceNotFound: {
    text: 'There is no such entity, account or path.',
    advice: 'Compare keys and account letter by letter; an optional lookup can expect this answer.',
  },
  TableNotFound: { text: 'The table does not exist in this account.', advice: 'Create it first, or correct its name.' },
  TableBeingDeleted: {
    text: 'A table of this name is being deleted.',
    advice: 'Wait up to a minute, or use another name.',
  },
  TableAlreadyExists: { text: 'The table exists already.', advice: 'Create it once at the start of the program.' },
  EntityAlreadyExists: {
    text: 'An entity with these keys exists already.',
    advice: 'Use insert-or-replace or insert-or-merge if that is fine, or choose another RowKey.',
  },
  UpdateConditionNotSatisfied: {
    text: 'The ETag of If-Match is not the present one of the entity.',
    advice: 'Read the entity again, apply the change to it, and send the new ETag.',
  },
  ConditionNotMet: {
    text: 'The ETag of If-Match has no timestamp.',
    advice: 'Send the ETag as the service returned it.',
  },
  InvalidInput: {
    text: 'A part of the request cannot be read.',
    advice: 'Compare the body and the options with the reference.',
  },
  OutOfRangeInput: { text: 'A value is outside of what the service can store.' },
  InvalidResourceName: {
    text: 'The name of the table has a character that is not allowed.',
    advice: 'Use letters and digits, with a letter first.',
  },
  PropertiesNeedValue: {
    text: 'A key is missing in the body. In Cosmos DB an empty key counts as missing.',
    advice: 'Send PartitionKey and RowKey as strings.',
  },
  PropertyNameInvalid: {
    text: 'The name of a property has a character that is not allowed.',
    advice: 'Use letters, digits and underscores, with no digit first.',
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
  DuplicatePropertiesSpecified: { text: 'The body has a property twice.' },
  InvalidDuplicateRow: {
    text: 'Two operations of the transaction name the same entity.',
    advice: 'Join the changes of one entity into one operation.',
  },
  CommandsInBatchActOnDifferentPartitions: {
    text: 'The operations of the transaction are in different partitions or tables.',
    advice: 'Send one transaction for each partition.',
  },
  BatchOperationNotSupported: { text: 'The operation cannot be in a transaction.' },
  InvalidUri: { text: 'The path of the URL is malformed.' },
  RequestUrlFailedToParse: {
    text: 'The URL has percent-encoding or a character that cannot be read.',
    advice: 'Percent-encode the keys in the path.',
  },
  InvalidHeaderValue: {
    text: 'A header has a value that is not valid.',
    advice: 'Check x-ms-version first: it is a date.',
  },
  InvalidQueryParameterValue: { text: 'A parameter of the query has a value that is not valid.' },
  MissingContentLengthHeader: { text: 'The request has a body without a length.', advice: 'Send Content-Length.' },
  RequestBodyTooLarge: {
    text: `The body is larger than ${bodyBytesMax / mebibyte} MiB.`,
    advice: 'Send fewer operations in a transaction.',
  },
  XMethodNotUsingPost: { text: 'X-HTTP-Method needs POST.' },
  XMethodIncorrectValue: { text: 'X-HTTP-Method names a verb that it cannot stand for.' },
  XMethodIncorrectCount: { text: 'X-HTTP-Method is there twice.' },
  HostNotAllowed: { text: 'A browser may not use this host.', advice: 'Start the server with --allowedHosts.' },
  MethodNotAllowed: { text: 'The resource does not have this verb.' },
  UnsupportedHttpVerb: { text: 'The service does not have this verb.' },
  AtomFormatNotSupported: {
    text: 'Atom cannot be named in this version.',
    advice: 'Send and accept application/json.',
  },
  JsonFormatNotSupported: { text: 'This version does not have JSON.', advice: 'Send a newer x-ms-version.' },
  JsonVerboseFormatNotSupported: {
    text: 'Verbose JSON is not supported.',
    advice: 'Accept application/json;odata=nometadata.',
  },
  MediaTypeNotSupported: { text: 'The media type of the request is not supported.', advice: 'Send application/json.' },
  InvalidXmlDocument: { text: 'The XML of the body cannot be read.' },
  InvalidXmlNodeValue: { text: 'A value in the XML of the body is not valid.' },
  CorsPreflightFailure: {
    text: 'No CORS rule of the account allows this origin, verb and headers.',
    advice: 'Set the CORS rules of the account.',
  },
  NotImplemented: { text: 'The service does not have this feature.' },
  AuthenticationFailed: { text: 'The credentials are not valid.' },
  KeyBasedAuthenticationNotPermitted: {
    text: 'This server does not accept requests that are signed with a key of the account.',
    advice: 'Use an identity, or remove "keys": "refused" from the file of identities.',
  },
  NoAuthenticationInformation: {
    text: 'The request has no credentials.',
    advice: 'Send an Authorization header, or a shared access signature in the query.',
  },
  InvalidAuthenticationInfo: {
    text: 'The Authorization header is malformed.',
    advice: 'Write it as SharedKey account:signature.',
  },
  AuthorizationFailure: { text: 'The signature does not give a right to this resource.' },
  AuthorizationPermissionMismatch: { text: 'The signature does not permit the operation.' },
  AuthorizationResourceTypeMismatch: { text: 'The signature is not for this kind of resource.' },
  AuthorizationProtocolMismatch: { text: 'The signature needs HTTPS.' },
  AuthorizationSourceIPMismatch: { text: 'The signature does not allow this address.' },
  AuthorizationServiceMismatch: { text: 'The signature is not for tables.' },
  InsufficientAccountPermissions: {
    text: 'The secondary endpoint is read-only.',
    advice: 'Write to the primary endpoint.',
  },
  TooManyRequests: {
    text: 'The account has used up its request units.',
    advice: 'Try again after the time that x-ms-retry-after-ms names.',
  },
  ServerBusy: { text: 'The server cannot take the request now.', advice: 'Try again, with a longer pause each time.' },
  OperationTimedOut: {
    text: 'Whether the operation was done is not known.',
    advice: 'Read the entity before you try again, or write so that twice does no harm.',
  },
  InternalError: { text: 'The server failed.', advice: 'Its log has the reason, with the id of the request.' },
};
