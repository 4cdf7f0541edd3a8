import type { Accounts } from '../auth/accounts.js';
import { createSignature } from '../auth/create-signature.js';
import type { DialectName } from '../protocol/access/accounts.js';
import type { BranchSummary } from '../state/contract.js';
import { ownVersion } from '../version.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { isLoopback } from './admin-access.js';
import { answerJson, type ControlRow } from './control-row.js';
import { readFields } from './read-fields.js';

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

/** How long a signature of a session is valid. Unit: milliseconds. Ours: the page asks for the next one before. */
const sessionMs = 60 * 60 * 1000;

/** The rights of the signatures, by what the caller may do. Source: auth 2.1. */
const permissions = { all: 'rwdlacu', read: 'rl' } as const;

/**
 * Returns the row by which the page gets a shared access signature for each account, for an hour. It never gets a key, and
 * a caller that may only read gets signatures that only read.
 */
export function sessionRow({ accounts, now, host, branches, serviceAt, identitiesOf }: SessionOptions): ControlRow {
  return {
    method: 'POST',
    path: `${controlRoot}/session`,
    purpose: 'a signature for each account, for an hour, as the page for browsers uses it',
    takes: 'json',
    isForReaders: true,
    run: async ({ right = 'all', port, body }) => {
      readFields(body, {});
      // The page reaches only the accounts of its own port.
      const service = serviceAt(port);
      const reached = service === undefined ? accounts.names : accounts.namesOf(service);
      const expires = new Date(now() + sessionMs).toISOString().replace(/\.\d+Z$/, 'Z');
      const request = { ss: 't', srt: 'sco', sp: permissions[right], se: expires };
      const made = await branches();
      const identities = identitiesOf(service);
      return answerJson(200, {
        version: ownVersion(),
        right,
        isLoopbackOnly: isLoopback(host) || host === 'localhost',
        expires,
        ...(identities && { keys: identities.refusesKeys ? 'refused' : 'accepted' }),
        accounts: accounts.list().flatMap(({ name, keys: [key], dialect }) => {
          if (key === undefined || !reached.has(name)) return [];
          const branch = made.find(({ account }) => account === name);
          const sas = createSignature(request, name, key);
          return [{ name, sas, ...(dialect && { dialect }), ...(branch && { branch }) }];
        }),
      });
    },
  };
}
