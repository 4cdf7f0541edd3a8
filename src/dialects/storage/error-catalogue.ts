import type { TableErrorCode } from '../../protocol/error-codes.js';

/**
 * The recorded wire formats of an error. Source: operations 4.4.
 *
 * - `authentication` (A1): bare type, `x-ms-error-code`, neither `x-ms-version` nor the full `Server`
 * - `challenge` (A2): as A1, with version, full server and `WWW-Authenticate`
 * - `token`: as A1, with `WWW-Authenticate`; for a token that is not accepted
 * - `front-end`: as A2 without the challenge; for faults of the path
 * - `web-server`: HTML without any header of the service; for a path that never reaches it. `web-server-closing` ends the connection
 * - `version`: the indented XML of a malformed `x-ms-version`, for every request
 * - `xml` (A3): `?comp=` operations; XML for every request
 * - `unmatched` (A3): as `xml`, without the version; for a query that names no operation of the resource
 * - `early` (B1): for faults in reading the request; OData JSON without `Cache-Control` and `Preference-Applied`
 * - `engine` (B2): for faults in executing the request; OData JSON with both
 */
export type ErrorFormat =
  | 'authentication'
  | 'challenge'
  | 'token'
  | 'front-end'
  | 'web-server'
  | 'web-server-closing'
  | 'version'
  | 'xml'
  | 'unmatched'
  | 'early'
  | 'engine';

/** Status, text and wire format of an error. */
export interface CatalogueEntry {
  readonly status: number;
  readonly message: string;
  readonly format: ErrorFormat;
  /** The format in a part of a transaction; absent: the same. */
  readonly partFormat?: ErrorFormat | undefined;
  /** The tenant of a challenge; absent: that of an account without identities. */
  readonly tenant?: string | undefined;
}

/**
 * Status, text and wire format of each code in the storage service. Recorded texts are kept unchanged, including their
 * spelling mistakes.
 *
 * Source: errors 4; recordings-facts 8.
 */
export const errorCatalogue = {
  // tables and entities
  ResourceNotFound: { status: 404, format: 'engine', message: 'The specified resource does not exist.' },
  TableNotFound: { status: 404, format: 'early', message: 'The table specified does not exist.' },
  TableAlreadyExists: { status: 409, format: 'engine', message: 'The table specified already exists.' },
  TableBeingDeleted: { status: 409, format: 'engine', message: 'The specified table is being deleted.' },
  EntityAlreadyExists: { status: 409, format: 'engine', message: 'The specified entity already exists.' },
  UpdateConditionNotSatisfied: {
    status: 412,
    format: 'engine',
    message: 'The update condition specified in the request was not satisfied.',
  },
  /** A weak tag without a time. Recorded without `Cache-Control`. */
  ConditionNotMet: {
    status: 412,
    format: 'early',
    message: 'The condition specified using HTTP conditional header(s) is not met.',
  },
  // input
  InvalidInput: { status: 400, format: 'early', message: 'One of the request inputs is not valid.' },
  OutOfRangeInput: { status: 400, format: 'early', message: 'One of the request inputs is out of range.' },
  InvalidResourceName: {
    status: 400,
    format: 'engine',
    message: 'The specifed resource name contains invalid characters.',
  },
  PropertiesNeedValue: {
    status: 400,
    format: 'engine',
    message: 'The values are not specified for all properties in the entity.',
  },
  PropertyNameInvalid: { status: 400, format: 'early', message: 'The property name is invalid.' },
  PropertyNameTooLong: {
    status: 400,
    format: 'engine',
    message: 'The property name exceeds the maximum allowed length (255).',
  },
  PropertyValueTooLarge: {
    status: 400,
    format: 'engine',
    message:
      'The property value exceeds the maximum allowed size (64KB). If the property value is a string, ' +
      'it is UTF-16 encoded and the maximum number of characters should be 32K or less.',
  },
  TooManyProperties: {
    status: 400,
    format: 'engine',
    message:
      'The entity contains more properties than allowed. Each entity can include up to 252 properties ' +
      'to store data. Each entity also has 3 system properties.',
  },
  EntityTooLarge: {
    status: 400,
    format: 'engine',
    message: 'The entity is larger than the maximum allowed size (1MB).',
  },
  DuplicatePropertiesSpecified: {
    status: 400,
    format: 'early',
    message: 'A property is specified more than one time.',
  },
  // entity group transactions
  InvalidDuplicateRow: {
    status: 400,
    format: 'engine',
    message:
      'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
  },
  CommandsInBatchActOnDifferentPartitions: {
    status: 400,
    format: 'engine',
    message: 'All commands in a batch must operate on same entity group.',
  },
  BatchOperationNotSupported: {
    status: 400,
    format: 'engine',
    message: 'The operation is not supported in a batch.',
  },
  // address, headers, formats
  InvalidUri: {
    status: 400,
    format: 'front-end',
    message: 'The requested URI does not represent any resource on the server.',
  },
  RequestUrlFailedToParse: {
    status: 400,
    format: 'front-end',
    message: 'The url in the request could not be parsed.',
  },
  InvalidHeaderValue: {
    status: 400,
    format: 'version',
    message: 'The value for one of the HTTP headers is not in the correct format.',
  },
  InvalidQueryParameterValue: {
    status: 400,
    format: 'early',
    message: 'Value for one of the query parameters specified in the request URI is invalid.',
  },
  MissingContentLengthHeader: {
    status: 411,
    format: 'front-end',
    message: 'The Content-Length header was not specified.',
  },
  RequestBodyTooLarge: {
    status: 413,
    format: 'front-end',
    message: 'The request body is too large and exceeds the maximum permissible limit.',
  },
  XMethodNotUsingPost: {
    status: 400,
    format: 'early',
    message: 'The request uses X-HTTP-Method with an HTTP verb other than POST.',
  },
  XMethodIncorrectValue: { status: 400, format: 'early', message: 'The specified X-HTTP-Method is invalid.' },
  XMethodIncorrectCount: { status: 400, format: 'early', message: 'More than one X-HTTP-Method is specified.' },
  // Only this server has this error. The service does not need it, because others cannot point its names at their machines.
  HostNotAllowed: { status: 403, format: 'front-end', message: 'The host of this request is not allowed.' },
  MethodNotAllowed: {
    status: 405,
    format: 'early',
    message: 'The requested method is not allowed on the specified resource.',
  },
  UnsupportedHttpVerb: {
    status: 405,
    format: 'xml',
    message: "The resource doesn't support the specified HTTP verb.",
  },
  AtomFormatNotSupported: { status: 415, format: 'early', message: 'Atom format is not supported.' },
  JsonFormatNotSupported: { status: 415, format: 'early', message: 'JSON format is not supported.' },
  JsonVerboseFormatNotSupported: { status: 415, format: 'early', message: 'JSON Verbose format is not supported.' },
  MediaTypeNotSupported: {
    status: 415,
    format: 'early',
    message: 'None of the provided media types are supported',
  },
  InvalidXmlDocument: {
    status: 400,
    format: 'xml',
    message: 'XML specified is not syntactically valid.',
  },
  InvalidXmlNodeValue: {
    status: 400,
    format: 'xml',
    message: 'The value for one of the XML nodes is not in the correct format.',
  },
  CorsPreflightFailure: {
    status: 403,
    format: 'xml',
    message: 'CORS not enabled or no matching rule found for this request.',
  },
  NotImplemented: {
    status: 501,
    format: 'engine',
    message: 'The requested operation is not implemented on the specified resource.',
  },
  // authentication and authorization
  AuthenticationFailed: {
    status: 403,
    format: 'authentication',
    message:
      'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly ' +
      'including the signature.',
  },
  NoAuthenticationInformation: {
    status: 401,
    format: 'challenge',
    message:
      'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.',
  },
  InvalidAuthenticationInfo: {
    status: 400,
    format: 'authentication',
    message: 'Authentication information is not given in the correct format. Check the value of Authorization header.',
  },
  AuthorizationFailure: {
    status: 403,
    format: 'engine',
    message: 'This request is not authorized to perform this operation.',
  },
  AuthorizationPermissionMismatch: {
    status: 403,
    format: 'engine',
    message: 'This request is not authorized to perform this operation using this permission.',
  },
  AuthorizationResourceTypeMismatch: {
    status: 403,
    format: 'engine',
    message: 'This request is not authorized to perform this operation using this resource type.',
  },
  AuthorizationProtocolMismatch: {
    status: 403,
    format: 'authentication',
    message: 'This request is not authorized to perform this operation using this protocol.',
  },
  AuthorizationSourceIPMismatch: {
    status: 403,
    format: 'authentication',
    message: 'This request is not authorized to perform this operation using this source IP.',
  },
  AuthorizationServiceMismatch: {
    status: 403,
    format: 'authentication',
    message: 'This request is not authorized to perform this operation using this service.',
  },
  KeyBasedAuthenticationNotPermitted: {
    status: 403,
    format: 'authentication',
    message: 'Key based authentication is not permitted on this storage account.',
  },
  InsufficientAccountPermissions: {
    status: 403,
    format: 'engine',
    message: 'Write operations are not allowed.',
  },
  // the server itself
  /** Of Cosmos DB alone; the recorded text lists replicas, and is not imitated. */
  TooManyRequests: { status: 429, format: 'engine', message: 'The request rate is too large.' },
  ServerBusy: {
    status: 503,
    format: 'engine',
    message: 'The server is currently unable to receive requests. Please retry your request.',
  },
  OperationTimedOut: {
    status: 500,
    format: 'engine',
    message: 'The operation could not be completed within the permitted time.',
  },
  InternalError: {
    status: 500,
    format: 'engine',
    message: 'Server encountered an internal error. Please try again after some time.',
  },
} as const satisfies Record<TableErrorCode, CatalogueEntry>;
