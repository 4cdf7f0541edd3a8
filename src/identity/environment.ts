import type { Identities } from './identities.js';
import type { AssignedPrincipal } from './principal.js';

/**
 * Variables that lead a program to a key, or to credentials other than those of a managed identity. They must be removed.
 * Source: identity 1.
 */
export const disturbingVariables = [
  'AZURE_CLIENT_SECRET',
  'AZURE_CLIENT_CERTIFICATE_PATH',
  'AZURE_USERNAME',
  'AZURE_PASSWORD',
  'AZURE_FEDERATED_TOKEN_FILE',
  'AZURE_POD_IDENTITY_AUTHORITY_HOST',
  'AZURE_STORAGE_CONNECTION_STRING',
  'AZURE_STORAGE_KEY',
  'AZURE_STORAGE_SAS_TOKEN',
  'MSI_ENDPOINT',
  'MSI_SECRET',
  'IMDS_ENDPOINT',
  'IDENTITY_SERVER_THUMBPRINT',
] as const;

/** The variables by which a program gets the tokens of an identity. One of them is a secret. */
export interface IdentityEnvironment {
  readonly IDENTITY_ENDPOINT: string;
  readonly IDENTITY_HEADER: string;
  readonly AZURE_CLIENT_ID: string;
  readonly AZURE_TOKEN_CREDENTIALS: 'ManagedIdentityCredential';
  readonly AZURE_TABLES_ENDPOINT: string;
}

/**
 * Returns the variables by which a program gets the tokens of an identity. `root` is the scheme, host and port of the server,
 * `account` the first of its accounts. Source: identity 1.
 */
export function environmentFor(
  { secrets }: Identities,
  { name = '', clientId = '' }: AssignedPrincipal,
  { root, account }: { readonly root: string; readonly account: string },
): IdentityEnvironment {
  const reached = byAddress(root);
  return {
    IDENTITY_ENDPOINT: `${reached}/_tabularium/identity/token`,
    IDENTITY_HEADER: secrets.secretOf(name),
    // Also for programs that pass it on, and instead of one that the shell has for the cloud.
    AZURE_CLIENT_ID: clientId,
    AZURE_TOKEN_CREDENTIALS: 'ManagedIdentityCredential',
    AZURE_TABLES_ENDPOINT: `${reached}/${account}`,
  };
}

/** Replaces `localhost`, for which clients request tokens of Cosmos DB. Source: identity 2. */
function byAddress(root: string): string {
  return root.replace(/^(https?:\/\/)localhost(?=:|$)/, '$1127.0.0.1');
}
