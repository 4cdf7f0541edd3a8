import { controlRoot } from '../http/reserved-endpoints.js';
import type { DialectName } from '../protocol/accounts.js';
import { ownVersion } from '../version.js';
import { answerJson, type ControlRow } from './control-row.js';

/** What a server tells about itself. */
export interface ServerInfo {
  /** The names of the accounts. */
  readonly accounts: () => readonly string[];
  /** Returns the root of a listener, by the root by which a client reached this one. */
  readonly rootOf: (root: string, dialect: DialectName) => string;
  /** Returns the service that answers at a root; undefined if it is not known. */
  readonly serviceAt: (root: string) => DialectName | undefined;
  /** Milliseconds since 1970. */
  readonly started: number;
}

/** Returns the row that tells which server this is. It names accounts, and never their keys. */
export function infoRow({ accounts, started }: Pick<ServerInfo, 'accounts' | 'started'>): ControlRow {
  return {
    method: 'GET',
    path: `${controlRoot}/info`,
    purpose: 'version, start and accounts of this server',
    run: () =>
      answerJson(200, { version: ownVersion(), started: new Date(started).toISOString(), accounts: accounts() }),
  };
}
