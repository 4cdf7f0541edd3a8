import { type Credential, ServiceError, type ServiceRequest, sendRequest, TableClient } from '../wire/table-client.js';
import { areKeysRejected, forgetToken, reader, tokenOf } from './identities.js';
import { account, renewSession, session } from './session.js';

/** The tables of the account that is shown. */
export const service = new TableClient((path, request) => sendToAccount(account.value?.name ?? '-', path, request));

/** Returns the tables of an account, which need not be the one that is shown. */
export function serviceOf(account: string): TableClient {
  return new TableClient((path, request) => sendToAccount(account, path, request));
}

/**
 * The codes that reject an expired credential: a signature at a storage account and at Cosmos DB, and a token, for example of a
 * server that has restarted since.
 */
const endedCodes: ReadonlySet<string> = new Set(['AuthenticationFailed', 'Forbidden', 'InvalidAuthenticationInfo']);

/**
 * Sends a request to an account: with the rights of the identity that is chosen, else with the signature of the
 * session. `path` is below the account. If the credential has ended, as when someone has moved the clock of the server, it gets
 * a new one and sends the request once more. Errors: ServiceError; ControlError if there is no token; Unreachable.
 */
export async function sendToAccount(name: string, path: string, request?: ServiceRequest): Promise<Response> {
  const identity = reader.value;
  const first = await credentialFor(name, identity);
  try {
    return await sendRequest(name, first, path, request);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The file of identities has changed since the session began.
    if (error.code === 'KeyBasedAuthenticationNotPermitted' && !areKeysRejected.value) await renewSession();
    if (!endedCodes.has(error.code)) throw error;
    const renewed = await renewedFor(name, identity, first);
    if (renewed.signature === first.signature && renewed.token === first.token) throw error;
    // The service rejected the request before running it, so a write can be retried, too.
    return sendRequest(name, renewed, path, request);
  }
}

async function credentialFor(name: string, identity: string | undefined): Promise<Credential> {
  if (identity !== undefined) return { signature: '', token: await tokenOf(identity) };
  return { signature: session.value?.accounts.find((one) => one.name === name)?.sas ?? '', token: undefined };
}

let renewal: Promise<void> | undefined;

/** Returns another credential if there is one. Concurrent requests share the renewal. */
async function renewedFor(name: string, identity: string | undefined, ended: Credential): Promise<Credential> {
  if (identity !== undefined) await forgetToken(identity, ended.token);
  else if ((await credentialFor(name, identity)).signature === ended.signature) {
    renewal ??= renewSession().finally(() => (renewal = undefined));
    await renewal;
  }
  return credentialFor(name, identity);
}
