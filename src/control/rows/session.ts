import type { Accounts } from '../../auth/accounts.js';
import { createSignature } from '../../auth/create-signature.js';
import type { DialectName } from '../../protocol/access/accounts.js';
import type { BranchSummary } from '../../state/contract.js';
import type { Session } from '../../verbs/contract.js';
import type { VerbCaller } from '../../verbs/verb.js';
import { ownVersion } from '../../version.js';
import { isLoopback } from '../admin-access.js';

/** What a session is made of. */
export interface SessionOptions {
  readonly accounts: Accounts;
  /** Milliseconds since 1970, by the clock that signatures are judged by. */
  readonly now: () => number;
  readonly branches: () => Promise<readonly BranchSummary[]>;
  /** The host on which the server listens. */
  readonly host: string;
  /** Returns the service that listens on a port of this machine. */
  readonly serviceAt: (port: number | undefined) => DialectName | undefined;
  /** Returns the identities whose tokens a service accepts; undefined if it accepts none. */
  readonly identitiesOf: (service: DialectName | undefined) => { readonly refusesKeys: boolean } | undefined;
}

/** How long a signature of a session is valid. Unit: milliseconds. (Our choice: the page asks for the next one before.) */
const sessionMs = 60 * 60 * 1000;

/** The rights of the signatures, by what the caller may do. Source: auth 2.1. */
const permissions = { all: 'rwdlacu', read: 'rl' } as const;

/**
 * Returns a shared access signature for each account that a page reaches, for an hour. It never has a key, and a caller that may
 * only read gets signatures that only read.
 */
export async function openSession(
  { accounts, now, host, branches, serviceAt, identitiesOf }: SessionOptions,
  { right = 'all', port }: VerbCaller,
): Promise<Session> {
  // The page reaches only the accounts of its own port.
  const service = serviceAt(port);
  const reached = service === undefined ? accounts.names : accounts.namesOf(service);
  const expires = new Date(now() + sessionMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const request = { ss: 't', srt: 'sco', sp: permissions[right], se: expires };
  const made = await branches();
  const identities = identitiesOf(service);
  return {
    version: ownVersion(),
    right,
    isLoopbackOnly: isLoopback(host) || host === 'localhost',
    expires,
    ...(identities && { keys: identities.refusesKeys ? ('refused' as const) : ('accepted' as const) }),
    accounts: accounts.list().flatMap(({ name, keys: [key], dialect }) => {
      if (key === undefined || !reached.has(name)) return [];
      const branch = made.find(({ account }) => account === name);
      const sas = createSignature(request, name, key);
      return [{ name, sas, ...(dialect && { dialect }), ...(branch && { branch }) }];
    }),
  };
}
