/** Why no standby can be started, as the end of a title of tests. Empty if one can. */
export const whyNoStandby: string;

/** A server of PostgreSQL in a folder of its own. */
export class PostgresCluster {
  /** The folder of the server's data, and of its log. */
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  /** Creates a server and starts it. `more` is added to its settings. */
  static start(more?: string): Promise<PostgresCluster>;
  /** Creates a standby of this server, which follows it by streaming. `name` is what the primary calls it. */
  startStandby(name: string): Promise<PostgresCluster>;
  /** Starts the server, which must not run. */
  restart(): Promise<void>;
  /** Ends the server. Its data stay. */
  stop(how?: 'fast' | 'immediate'): Promise<void>;
  /** Ends the server and deletes its data. */
  remove(): Promise<void>;
  /** Kills the server, as a loss of power would. */
  kill(): Promise<void>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
  /** Ends the server, and starts it again as a standby of another one. */
  follow(primary: PostgresCluster): Promise<void>;
  /** Starts the server again, with TLS and this certificate. Both are PEM. */
  useTls(certificate: { readonly cert: string; readonly key: string }): Promise<void>;
  /** Runs a statement, and returns its rows. */
  query(text: string, database?: string): Promise<readonly Record<string, unknown>[]>;
}
