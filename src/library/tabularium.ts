import type { Logger } from 'pino';

/** A storage account: its name and its one or two base64 keys. */
export interface TabulariumAccount {
  readonly name: string;
  readonly keys: readonly string[];
}

/** The certificate for HTTPS: paths of a PEM certificate and key, or of a PFX file. `password` decrypts the key. */
export type TabulariumCertificate =
  | { readonly cert: string; readonly key: string; readonly password?: string }
  | { readonly pfx: string; readonly password?: string };

/** The options of an instance. By default it keeps its data in memory, listens on a free port and logs nothing. */
export interface TabulariumOptions {
  /** Port to listen on. The default is 0, which takes a free port. */
  readonly port?: number;
  /** Address to listen on. The default is 127.0.0.1. */
  readonly host?: string;
  /**
   * Hosts that browsers may use, in addition to loopback, IP addresses and names without a dot: `tables.example.com`,
   * `*.internal`, or `*` for any host.
   */
  readonly allowedHosts?: readonly string[];
  /** Folder in which the data folder is created. Without it, the data is in memory and ends with the instance. */
  readonly location?: string;
  /** Database of PostgreSQL that keeps the data, as `postgres://user:password@host:5432/name`. Excludes `location`. */
  readonly database?: string;
  /** Schema of the database that holds the tables. The default is `tabularium`. */
  readonly databaseSchema?: string;
  /** Most connections to the database. The default is 10. */
  readonly databaseConnections?: number;
  /** Accounts to serve. The default is the well-known development account. The first account is the default account. */
  readonly accounts?: readonly TabulariumAccount[];
  /** Serves HTTPS, with a certificate of your own or, if true, with a self-signed one. */
  readonly https?: boolean | TabulariumCertificate;
  /** Accepts bearer tokens, which need HTTPS. */
  readonly oauth?: boolean;
  /** How many of the last requests the journal keeps, for the control endpoints. The default is 4096; 0 keeps none. */
  readonly journal?: number;
  /**
   * Who may use the control endpoints: `loopback` (the default), callers of this machine without a token and others with
   * one; `token`, every caller with a token; `off`, none.
   */
  readonly admin?: 'off' | 'loopback' | 'token';
  /** The token of the control endpoints. Without it, an instance that needs one makes it. */
  readonly adminToken?: string;
  /** A token of the control endpoints that may only read. */
  readonly adminReadToken?: string;
  /** Size of the read cache. Unit: MiB. */
  readonly cacheMb?: number;
  /** Where an acknowledged write is stored: in the buffers of the operating system (`os`), or on disk (`fsync`). */
  readonly durability?: 'os' | 'fsync';
  /** A pino logger for every request and error. Without it, nothing is logged. */
  readonly logger?: Logger;
}

/** A running instance. A process can have any number of instances; they share nothing. */
export interface Tabularium extends AsyncDisposable {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  readonly port: number;
  /** The connection string of the first account, for every SDK. */
  readonly connectionString: string;
  /** The self-signed certificate of the instance, as PEM, for clients to trust; undefined without one. */
  readonly certificate: string | undefined;
  /** The token of the control endpoints, if there is one. */
  readonly adminToken: string | undefined;
  /** Returns the connection string of an account. Errors: ConfigError for an unknown account. */
  connectionStringOf(account: string): string;
  /** Returns the address of an account's tables, by default the first account's. Errors: ConfigError. */
  endpoint(account?: string): string;
  /**
   * Deletes all tables, their access policies and the settings of the service, for one account or for all. Later
   * requests see an empty account. Errors: ConfigError for an unknown account.
   */
  reset(account?: string): Promise<void>;
  /**
   * Finishes the current requests, then releases the port and the data. Data in memory is lost. A second call does
   * nothing.
   */
  close(): Promise<void>;
}
