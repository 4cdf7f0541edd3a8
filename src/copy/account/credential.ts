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

/** The variable with a bearer token. */
const tokenVariable = 'TABULARIUM_COPY_TOKEN';

/** How long before its end a token is renewed. Unit: milliseconds. (Our choice.) */
const renewedMs = 5 * 60_000;

/** Uses bearer tokens: the one of TABULARIUM_COPY_TOKEN, or those of the Azure CLI for a resource. Errors of a use: CopyFault. */
export function tokenCredential(resource: string, environment: NodeJS.ProcessEnv): Credential {
  const fixed = environment['TABULARIUM_COPY_TOKEN'];
  let known: Promise<Token> | undefined;
  return {
    query: '',
    isToken: true,
    async authorize() {
      if (fixed) return `Bearer ${fixed}`;
      if (!known || (await known).until - Date.now() < renewedMs) known = askAzureCli(resource, environment);
      return `Bearer ${(await known).token}`;
    },
  };
}

interface Token {
  readonly token: string;
  /** Unit: milliseconds since 1970. */
  readonly until: number;
}

async function askAzureCli(resource: string, env: NodeJS.ProcessEnv): Promise<Token> {
  try {
    const args = ['account', 'get-access-token', '--resource', resource, '--output', 'json'];
    // On Windows, az is a script.
    const { stdout } = await promisify(execFile)('az', args, { env, shell: process.platform === 'win32' });
    const { accessToken, expires_on: end } = JSON.parse(stdout) as { accessToken: string; expires_on: number };
    return { token: accessToken, until: end * 1000 };
  } catch {
    throw new CopyFault(
      `There is no token for ${resource}. Run az login, set ${tokenVariable}, or pass a connection string or a signed URL.`,
    );
  }
}
