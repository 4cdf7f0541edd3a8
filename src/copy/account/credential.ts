import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { SigningKey } from '../../auth/signing-key.js';
import { CopyFault } from '../ends/end.js';

/** Signs requests. */
export interface Credential {
  /** Returns the value of `Authorization` for a request at a path, if there is one. `date` is the value of `x-ms-date`. */
  authorize(path: string, comp: string | undefined, date: string): Promise<string> | string | undefined;
  /** The query of a shared access signature, without a question mark. */
  readonly query: string;
  readonly isToken: boolean;
}

/** Signs with the key of an account, by Shared Key Lite. Source: auth 1. */
export function keyCredential(account: string, key: string): Credential {
  const signer = new SigningKey(key);
  return {
    query: '',
    isToken: false,
    authorize(path, comp, date) {
      const resource = `/${account}${path}${comp === undefined ? '' : `?comp=${comp}`}`;
      return `SharedKeyLite ${account}:${signer.sign(`${date}\n${resource}`).toString('base64')}`;
    },
  };
}

/** Uses a shared access signature. */
export function signatureCredential(query: string): Credential {
  return { query: query.replace(/^\?/, ''), isToken: false, authorize: () => undefined };
}

/** How long before its end a token is renewed. Unit: milliseconds. (Our choice.) */
const renewedMs = 5 * 60_000;

/** Uses bearer tokens: the one of TABULARIUM_COPY_TOKEN, or those of the Azure CLI for a resource. Errors of a use: CopyFault. */
export function tokenCredential(resource: string, environment: NodeJS.ProcessEnv): Credential {
  const fixed = environment['TABULARIUM_COPY_TOKEN'];
  let token = Promise.resolve(fixed ?? '');
  let renewedAt = fixed ? Number.POSITIVE_INFINITY : 0;
  return {
    query: '',
    isToken: true,
    async authorize() {
      if (Date.now() >= renewedAt) {
        // Requests at the same time wait for one answer.
        renewedAt = Number.POSITIVE_INFINITY;
        token = askAzureCli(resource, environment).then(({ token, until }) => {
          renewedAt = until - renewedMs;
          return token;
        });
      }
      return `Bearer ${await token}`;
    },
  };
}

/** Returns a token, and its end in milliseconds since 1970. */
async function askAzureCli(resource: string, env: NodeJS.ProcessEnv): Promise<{ token: string; until: number }> {
  try {
    const args = ['account', 'get-access-token', '--resource', resource, '--output', 'json'];
    // On Windows, az is a script.
    const { stdout } = await promisify(execFile)('az', args, { env, shell: process.platform === 'win32' });
    const { accessToken, expires_on: end } = JSON.parse(stdout) as { accessToken: string; expires_on: number };
    return { token: accessToken, until: end * 1000 };
  } catch {
    const ways = 'Run az login, set TABULARIUM_COPY_TOKEN, or pass a connection string or a signed URL.';
    throw new CopyFault(`There is no token for ${resource}. ${ways}`);
  }
}
