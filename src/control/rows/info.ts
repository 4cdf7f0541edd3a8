import type { DialectName } from '../../protocol/access/accounts.js';

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
