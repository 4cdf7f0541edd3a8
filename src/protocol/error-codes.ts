/** All error codes of this server. A dialect gives each code its status, text and wire format. */
export const tableErrorCodes = [
  // tables and entities
  'ResourceNotFound',
  'TableNotFound',
  'TableAlreadyExists',
  'TableBeingDeleted',
  'EntityAlreadyExists',
  'UpdateConditionNotSatisfied',
  /** A weak ETag without a timestamp. Recorded without `Cache-Control`. */
  'ConditionNotMet',
  // input
  'InvalidInput',
  'OutOfRangeInput',
  'InvalidResourceName',
  'PropertiesNeedValue',
  'PropertyNameInvalid',
  'PropertyNameTooLong',
  'PropertyValueTooLarge',
  'TooManyProperties',
  'EntityTooLarge',
  'DuplicatePropertiesSpecified',
  // entity group transactions
  'InvalidDuplicateRow',
  'CommandsInBatchActOnDifferentPartitions',
  'BatchOperationNotSupported',
  // address, headers, formats
  'InvalidUri',
  'RequestUrlFailedToParse',
  'InvalidHeaderValue',
  'InvalidQueryParameterValue',
  'MissingContentLengthHeader',
  'RequestBodyTooLarge',
  'XMethodNotUsingPost',
  'XMethodIncorrectValue',
  'XMethodIncorrectCount',
  // This server's own. The service does not need it, because others cannot point its host names at their machines.
  'HostNotAllowed',
  'MethodNotAllowed',
  'UnsupportedHttpVerb',
  'AtomFormatNotSupported',
  'JsonFormatNotSupported',
  'JsonVerboseFormatNotSupported',
  'MediaTypeNotSupported',
  'InvalidXmlDocument',
  'InvalidXmlNodeValue',
  'CorsPreflightFailure',
  'NotImplemented',
  // authentication and authorization
  'AuthenticationFailed',
  'NoAuthenticationInformation',
  'InvalidAuthenticationInfo',
  'AuthorizationFailure',
  'AuthorizationPermissionMismatch',
  'AuthorizationResourceTypeMismatch',
  'AuthorizationProtocolMismatch',
  'AuthorizationSourceIPMismatch',
  'AuthorizationServiceMismatch',
  'KeyBasedAuthenticationNotPermitted',
  'InsufficientAccountPermissions',
  // the server itself
  'ServerBusy',
  /** Of Cosmos DB alone. */
  'TooManyRequests',
  'OperationTimedOut',
  'InternalError',
] as const;

/** An error code of this server. */
export type TableErrorCode = (typeof tableErrorCodes)[number];
