import type { Logger } from 'pino';

/** A storage account: its name and the one or two base64 keys that sign for it. */
export interface TabulariumAccount {
  readonly name: string;
  readonly keys: readonly string[];
}

/** Which certificate HTTPS is served with: files of a PEM pair, or a PFX file. The password may be of an encrypted key. */
export type TabulariumCertificate =
  | { readonly cert: string; readonly key: string; readonly password?: string }
  | { readonly pfx: string; readonly password?: string };

/** How an instance is started. Everything has a default: in memory, on a free port of the loopback, silent. */
export interface TabulariumOptions {
  /** Port to listen on; 0, the default, takes a free one. */
  readonly port?: number;
  /** Address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
  /** Hosts that browsers may use beside loopback, addresses and plain names: `tables.example.com`, `*.internal`, `*`. */
  readonly allowedHosts?: readonly string[];
  /** Keeps the data in a folder under this one; without it, it lives in memory and ends with the instance. */
  readonly location?: string;
  /** The well-known development account by default. The first is the one that is meant where none is named. */
  readonly accounts?: readonly TabulariumAccount[];
  /** Serves HTTPS: with a certificate made for the instance, or with one's own. */
  readonly https?: boolean | TabulariumCertificate;
  /** Takes bearer tokens, which need HTTPS. */
  readonly oauth?: boolean;
  /** Memory for entities that were read. Unit: MiB. */
  readonly cacheMb?: number;
  /** What an acknowledged write has reached: the operating system, or the disk. */
  readonly durability?: 'os' | 'fsync';
  /** A pino logger that hears of every request and fault; without it nothing is logged. */
  readonly logger?: Logger;
}

/** A running instance. Nothing is shared between instances, however many a process has. */
export interface Tabularium extends AsyncDisposable {
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  readonly port: number;
  /** What every SDK takes to reach the first account. */
  readonly connectionString: string;
  /** The certificate that was made for the instance, as PEM, for clients to trust. */
  readonly certificate: string | undefined;
  /** What every SDK takes to reach an account. Errors: ConfigError when there is no such account. */
  connectionStringOf(account: string): string;
  /** The address of an account's tables, the first one's by default. Errors: ConfigError. */
  endpoint(account?: string): string;
  /**
   * Deletes all tables with their access policies and the service's settings, of one account or of all. Requests that
   * come afterwards see an empty account. Errors: ConfigError.
   */
  reset(account?: string): Promise<void>;
  /** Answers what is under way, then lets port and data go. What was in memory is gone. A second call does nothing. */
  close(): Promise<void>;
}
