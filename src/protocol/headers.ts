/**
 * Header values that never vary. Source: recordings-facts, sections 1 and 8.
 */

/** `Server` of every answer but those of the front end's authentication. */
export const serverName = 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0';

/** `Server` of a refusal that came before the service itself. */
export const frontEndServerName = 'Microsoft-HTTPAPI/2.0';

/** `WWW-Authenticate` of the 401: where a client finds whom to ask for a token. Source: auth, section 4. */
export const bearerChallenge =
  'Bearer authorization_uri=https://login.microsoftonline.com/00000000-0000-0000-0000-000000000000/oauth2/authorize ' +
  'resource_id=https://storage.azure.com';

/**
 * Headers of an answer that a rule for other origins may expose, in the order the service lists them. Those of
 * `alwaysSent` are listed whether the answer has them or not. Source: operations 9.2.
 */
export const exposableHeaders = [
  'x-ms-request-id',
  'x-ms-client-request-id',
  'Server',
  'x-ms-version',
  'X-Content-Type-Options',
  'Cache-Control',
  'ETag',
  'x-ms-continuation-NextTableName',
  'x-ms-continuation-NextPartitionKey',
  'x-ms-continuation-NextRowKey',
  'Location',
  'DataServiceId',
  'Preference-Applied',
  'Content-Type',
  'Content-Length',
  'Date',
  'Transfer-Encoding',
] as const;

/** Headers that the list of exposed ones names of every answer. */
export const alwaysSent: readonly string[] = ['Content-Length', 'Date', 'Transfer-Encoding'];

/** The namespace of XML errors. */
export const metadataNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';
