/**
 * Which of the recorded forms a refusal wears. Source: operations 4.4.
 *
 * - `authentication` (A1): bare type, `x-ms-error-code`, neither `x-ms-version` nor the full `Server`
 * - `challenge` (A2): as A1, with version, full server and `WWW-Authenticate`
 * - `front-end`: as A2 without the challenge: faults of the path
 * - `version`: the indented XML of a malformed `x-ms-version`, whatever was asked
 * - `xml` (A3): `?comp=` operations; XML whatever was asked
 * - `early` (B1): while the request is read; OData JSON without `Cache-Control` and `Preference-Applied`
 * - `engine` (B2): while it is done; OData JSON with both
 */
export type Clothes = 'authentication' | 'challenge' | 'front-end' | 'version' | 'xml' | 'early' | 'engine';

interface Entry {
  readonly status: number;
  readonly message: string;
  readonly clothes: Clothes;
}

/**
 * Every code this server can answer with: status, usual text, form.
 *
 * Texts are the recorded ones where a recording has them, spelling mistakes included.
 * Source: errors 4; recordings-facts 8.
 */
export const errorCatalogue = {
  // tables and entities
  ResourceNotFound: { status: 404, clothes: 'engine', message: 'The specified resource does not exist.' },
  TableNotFound: { status: 404, clothes: 'early', message: 'The table specified does not exist.' },
  TableAlreadyExists: { status: 409, clothes: 'engine', message: 'The table specified already exists.' },
  EntityAlreadyExists: { status: 409, clothes: 'engine', message: 'The specified entity already exists.' },
  UpdateConditionNotSatisfied: {
    status: 412,
    clothes: 'engine',
    message: 'The update condition specified in the request was not satisfied.',
  },
  /** A weak tag that holds no instant. Recorded without `Cache-Control`. */
  ConditionNotMet: {
    status: 412,
    clothes: 'early',
    message: 'The condition specified using HTTP conditional header(s) is not met.',
  },
  // input
  InvalidInput: { status: 400, clothes: 'early', message: 'One of the request inputs is not valid.' },
  OutOfRangeInput: { status: 400, clothes: 'early', message: 'One of the request inputs is out of range.' },
  InvalidResourceName: {
    status: 400,
    clothes: 'engine',
    message: 'The specifed resource name contains invalid characters.',
  },
  PropertiesNeedValue: {
    status: 400,
    clothes: 'engine',
    message: 'The values are not specified for all properties in the entity.',
  },
  PropertyNameInvalid: { status: 400, clothes: 'early', message: 'The property name is invalid.' },
  PropertyNameTooLong: {
    status: 400,
    clothes: 'engine',
    message: 'The property name exceeds the maximum allowed length (255).',
  },
  PropertyValueTooLarge: {
    status: 400,
    clothes: 'engine',
    message:
      'The property value exceeds the maximum allowed size (64KB). If the property value is a string, ' +
      'it is UTF-16 encoded and the maximum number of characters should be 32K or less.',
  },
  TooManyProperties: {
    status: 400,
    clothes: 'engine',
    message:
      'The entity contains more properties than allowed. Each entity can include up to 252 properties ' +
      'to store data. Each entity also has 3 system properties.',
  },
  EntityTooLarge: {
    status: 400,
    clothes: 'engine',
    message: 'The entity is larger than the maximum allowed size (1MB).',
  },
  DuplicatePropertiesSpecified: {
    status: 400,
    clothes: 'early',
    message: 'A property is specified more than one time.',
  },
  // entity group transactions
  InvalidDuplicateRow: {
    status: 400,
    clothes: 'engine',
    message:
      'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
  },
  CommandsInBatchActOnDifferentPartitions: {
    status: 400,
    clothes: 'engine',
    message: 'All commands in a batch must operate on same entity group.',
  },
  BatchOperationNotSupported: {
    status: 400,
    clothes: 'engine',
    message: 'The operation is not supported in a batch.',
  },
  // address, headers, formats
  InvalidUri: {
    status: 400,
    clothes: 'front-end',
    message: 'The requested URI does not represent any resource on the server.',
  },
  RequestUrlFailedToParse: {
    status: 400,
    clothes: 'front-end',
    message: 'The url in the request could not be parsed.',
  },
  InvalidHeaderValue: {
    status: 400,
    clothes: 'version',
    message: 'The value for one of the HTTP headers is not in the correct format.',
  },
  InvalidQueryParameterValue: {
    status: 400,
    clothes: 'early',
    message: 'Value for one of the query parameters specified in the request URI is invalid.',
  },
  MissingContentLengthHeader: {
    status: 411,
    clothes: 'front-end',
    message: 'The Content-Length header was not specified.',
  },
  RequestBodyTooLarge: {
    status: 413,
    clothes: 'early',
    message: 'The request body is too large and exceeds the maximum permissible limit.',
  },
  XMethodNotUsingPost: {
    status: 400,
    clothes: 'early',
    message: 'The request uses X-HTTP-Method with an HTTP verb other than POST.',
  },
  XMethodIncorrectValue: { status: 400, clothes: 'early', message: 'The specified X-HTTP-Method is invalid.' },
  XMethodIncorrectCount: { status: 400, clothes: 'early', message: 'More than one X-HTTP-Method is specified.' },
  // Not one of the service, whose names nobody else can point at a machine.
  HostNotAllowed: { status: 403, clothes: 'front-end', message: 'The host of this request is not allowed.' },
  MethodNotAllowed: {
    status: 405,
    clothes: 'early',
    message: 'The requested method is not allowed on the specified resource.',
  },
  UnsupportedHttpVerb: {
    status: 405,
    clothes: 'xml',
    message: "The resource doesn't support the specified HTTP verb.",
  },
  AtomFormatNotSupported: { status: 415, clothes: 'early', message: 'Atom format is not supported.' },
  JsonFormatNotSupported: { status: 415, clothes: 'early', message: 'JSON format is not supported.' },
  JsonVerboseFormatNotSupported: { status: 415, clothes: 'early', message: 'JSON Verbose format is not supported.' },
  MediaTypeNotSupported: {
    status: 415,
    clothes: 'early',
    message: 'None of the provided media types are supported',
  },
  InvalidXmlDocument: {
    status: 400,
    clothes: 'xml',
    message: 'XML specified is not syntactically valid.',
  },
  InvalidXmlNodeValue: {
    status: 400,
    clothes: 'xml',
    message: 'The value for one of the XML nodes is not in the correct format.',
  },
  CorsPreflightFailure: {
    status: 403,
    clothes: 'xml',
    message: 'CORS not enabled or no matching rule found for this request.',
  },
  NotImplemented: {
    status: 501,
    clothes: 'engine',
    message: 'The requested operation is not implemented on the specified resource.',
  },
  // authentication and authorization
  AuthenticationFailed: {
    status: 403,
    clothes: 'authentication',
    message:
      'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly ' +
      'including the signature.',
  },
  NoAuthenticationInformation: {
    status: 401,
    clothes: 'challenge',
    message:
      'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.',
  },
  InvalidAuthenticationInfo: {
    status: 400,
    clothes: 'authentication',
    message: 'Authentication information is not given in the correct format. Check the value of Authorization header.',
  },
  AuthorizationFailure: {
    status: 403,
    clothes: 'engine',
    message: 'This request is not authorized to perform this operation.',
  },
  AuthorizationPermissionMismatch: {
    status: 403,
    clothes: 'engine',
    message: 'This request is not authorized to perform this operation using this permission.',
  },
  AuthorizationResourceTypeMismatch: {
    status: 403,
    clothes: 'engine',
    message: 'This request is not authorized to perform this operation using this resource type.',
  },
  AuthorizationProtocolMismatch: {
    status: 403,
    clothes: 'authentication',
    message: 'This request is not authorized to perform this operation using this protocol.',
  },
  AuthorizationSourceIPMismatch: {
    status: 403,
    clothes: 'authentication',
    message: 'This request is not authorized to perform this operation using this source IP.',
  },
  AuthorizationServiceMismatch: {
    status: 403,
    clothes: 'authentication',
    message: 'This request is not authorized to perform this operation using this service.',
  },
  InsufficientAccountPermissions: {
    status: 403,
    clothes: 'front-end',
    message: 'Write operations are not allowed.',
  },
  // the server itself
  InternalError: {
    status: 500,
    clothes: 'engine',
    message: 'Server encountered an internal error. Please try again after some time.',
  },
} as const satisfies Record<string, Entry>;

/** A code of the catalogue. */
export type TableErrorCode = keyof typeof errorCatalogue;

/** What a refusal may say differently from its row in the catalogue. */
export interface TableErrorDetails {
  /** Another of the service's texts for this code. */
  readonly message?: string;
  /** Another form than the catalogue's. */
  readonly clothes?: Clothes;
  /** Zero-based position of the operation at fault within its entity group transaction. */
  readonly at?: number;
}

/**
 * A refusal in the service's own words. Any room may throw it; only the http room turns it into bytes and adds
 * the request id and the time.
 */
export class TableError extends Error {
  readonly code: TableErrorCode;
  readonly status: number;
  readonly clothes: Clothes;
  readonly at: number | undefined;

  constructor(code: TableErrorCode, details: TableErrorDetails = {}) {
    const entry = errorCatalogue[code];
    super(details.message ?? entry.message);
    this.name = 'TableError';
    this.code = code;
    this.status = entry.status;
    this.clothes = details.clothes ?? entry.clothes;
    this.at = details.at;
  }
}

/** The texts that the service uses with InvalidInput and OutOfRangeInput beside the catalogue's. */
export const inputTexts = {
  unreadable: 'An error occurred while processing this request.',
  querySyntax: 'Bad Request - Error in query syntax.',
  tableNameLength: 'The specified resource name length is not within the permissible limits.',
  etag: (etag: string) =>
    `The etag value '${etag}' specified in one of the request headers is not valid. ` +
    'Please make sure only one etag value is specified and is valid.',
  outOfRange: (name: string, value: string) => `The '${name}' parameter of value '${value}' is out of range.`,
  ifNoneMatch: (verb: string) => `If-None-Match HTTP header cannot be specified for ${verb} operations.`,
} as const;
