// Constant header values. Source: recordings-facts 1; recordings-facts 8.

/** `Server` of every answer, except errors that come before the service itself. */
export const serverName = 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0';

/** `Server` of an error from the front end, before the service itself. */
export const frontEndServerName = 'Microsoft-HTTPAPI/2.0';

/** Returns the `WWW-Authenticate` of a 401: where to request a token, and for which tenant. Source: auth 4. */
export function bearerChallenge(tenant = '00000000-0000-0000-0000-000000000000'): string {
  return (
    `Bearer authorization_uri=https://login.microsoftonline.com/${tenant}/oauth2/authorize ` +
    'resource_id=https://storage.azure.com'
  );
}

/**
 * Headers of an answer that a CORS rule may expose, in the service's order. The headers in `alwaysSent` are listed even
 * if the answer does not have them. Source: operations 9.2.
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

/** The headers of every list of exposed headers. */
export const alwaysSent: readonly string[] = ['Content-Length', 'Date', 'Transfer-Encoding'];

/** The namespace of entries and feeds. Source: atom 3.1. */
export const atomNamespace = 'http://www.w3.org/2005/Atom';

/** The namespace of properties in an entry. Source: atom 3.1. */
export const dataNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices';

/** The namespace of XML errors, and of types and tags in an entry. */
export const metadataNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';
