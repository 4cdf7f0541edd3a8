import {
  type Credential,
  ServiceError,
  type ServiceRequest,
  sendRequest,
  TableClient,
} from '../client/table-client.js';
import { areKeysRejected, forgetToken, reader, tokenOf } from './identities.js';
import { account, renewSession, session } from './session.js';

/** The tables of the current account. */
export const service = new TableClient(sendToAccount);

/**
 * The codes that reject an expired credential: a signature at a storage account and at Cosmos DB, and a token, for example of a
 * server that has restarted since.
 */
const endedCodes: ReadonlySet<string> = new Set(['AuthenticationFailed', 'Forbidden', 'InvalidAuthenticationInfo']);

/**
 * Sends a request to the current account: with a token of the chosen identity, else with the signature of the session. `path` is
 * below the account. If the credential has expired, for example because someone has moved the clock of the server, renews it and
 * retries once. Errors: ServiceError; ControlError if there is no token; TypeError if the server cannot be reached.
 */
async function sendToAccount(path: string, request?: ServiceRequest): Promise<Response> {
  const name = account.value?.name ?? '-';
  const identity = reader.value;
  const first = identity === undefined ? { signature: signatureOf(name), token: undefined } : await tokenFor(identity);
  try {
    return await sendRequest(name, first, path, request);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    // The file of identities has changed since the session began.
    if (error.code === 'KeyBasedAuthenticationNotPermitted' && !areKeysRejected.value) await renewSession();
    if (!endedCodes.has(error.code)) throw error;
    const renewed = identity === undefined ? await renewSignature(name, first) : await renewToken(identity, first);
    if (renewed === undefined) throw error;
    // The service rejected the request before running it, so a write can be retried, too.
    return sendRequest(name, renewed, path, request);
  }
}

let renewal: Promise<void> | undefined;

/** Returns the replacement of an expired signature; undefined if there is none. Concurrent requests share the renewal. */
async function renewSignature(name: string, { signature: ended }: Credential): Promise<Credential | undefined> {
  if (signatureOf(name) === ended) {
    renewal ??= renewSession().finally(() => (renewal = undefined));
    await renewal;
  }
  return signatureOf(name) === ended ? undefined : { signature: signatureOf(name), token: undefined };
}

function renewToken(identity: string, { token: ended }: Credential): Promise<Credential> {
  forgetToken(identity, ended);
  return tokenFor(identity);
}

async function tokenFor(identity: string): Promise<Credential> {
  return { signature: '', token: await tokenOf(identity) };
}

function signatureOf(name: string): string {
  return session.value?.accounts.find((one) => one.name === name)?.sas ?? '';
}
