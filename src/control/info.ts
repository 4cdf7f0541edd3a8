import type { DialectName } from '../protocol/accounts.js';
import { ownVersion } from '../version.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { answerJson, type ControlRow } from './control-row.js';

/** What a server tells about itself. */
export interface ServerInfo {
  /** The names of the accounts. */
  readonly accounts: () => readonly string[];
  /**
   * Returns the root of the listener of a service for a client that reached a listener at `root`. `port` is the port of that
   * listener. The port of another listener is its own: how it is published is not known.
   */
  readonly rootOf: (root: string, port: number | undefined, dialect: DialectName) => string;
  /** Returns the service that listens on a port of this machine. */
  readonly serviceAt: (port: number | undefined) => DialectName | undefined;
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
