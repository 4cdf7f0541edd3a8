import type { CreatedBranch, LogEntry, ServerCalls, WrittenChange } from '../client/calls.js';
import type { ExplainedRequest } from '../insight/explained-request.js';
import type { Finding } from '../insight/finding.js';
import type { AcceptedFilter, ExplainedFilter, RefusedFilter } from '../insight/why/filter/explained-filter.js';
import type { Logger } from '../log/logger.js';
import type { ExportWish, ImportReport, ImportWish, TransferFormat } from '../transfer/contract.js';

export type { AcceptedFilter, ExplainedFilter, ExplainedRequest, Finding, LogEntry, RefusedFilter, WrittenChange };

/** A storage account: its name and its one or two base64 keys. */
export interface TabulariumAccount {
  readonly name: string;
  readonly keys: readonly string[];
}

/** The second listener, for Cosmos DB: its port, which is a free one by default, and its accounts. */
export interface TabulariumCosmos {
  readonly port?: number;
  readonly accounts?: readonly TabulariumAccount[];
}

/** The certificate for HTTPS: paths of a PEM certificate and key, or of a PFX file. `password` decrypts the key. */
export type TabulariumCertificate =
  | { readonly cert: string; readonly key: string; readonly password?: string }
  | { readonly pfx: string; readonly password?: string };

/** A token, as the clients of Azure take it. */
export interface AccessToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresOnTimestamp: number;
}

/** A credential for every client of Azure in this process: a `TokenCredential`. */
export interface IdentityCredential {
  getToken(scopes: string | readonly string[]): Promise<AccessToken>;
}

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
  /** Files or folders to load at the start, if there is no data yet. A reset goes back to them. */
  readonly seed?: string | readonly string[];
  /** File or folder to import at the start, if there is no data yet. Excludes `seed`. */
  readonly import?: string;
  /** File or folder to export to when the instance is closed; true for the path of `import`. */
  readonly exportOnExit?: string | boolean;
  /** Accounts to serve. The default is the well-known development account. The first account is the default account. */
  readonly accounts?: readonly TabulariumAccount[];
  /**
   * Also speaks as Azure Cosmos DB for Table, on a second port. True takes a free port and the well-known account. SDKs for Go
   * know Cosmos DB only at the port 8902.
   */
  readonly cosmos?: boolean | TabulariumCosmos;
  /** Serves HTTPS, with a certificate of your own or, if true, with a self-signed one. */
  readonly https?: boolean | TabulariumCertificate;
  /** Accepts bearer tokens, which need HTTPS. */
  readonly oauth?: boolean;
  /**
   * Verifies bearer tokens of these identities, which may do what their roles permit: the path of a file of identities, which
   * is followed, or its content. They need HTTPS, and exclude `oauth`.
   */
  readonly identities?: string | object;
  /** How many of the last requests the journal keeps, for the control endpoints. The default is 4096; 0 keeps none. */
  readonly journal?: number;
  /** Keeps the first 16 KiB of each body in the journal, at most 8 MiB in all. The default is false. */
  readonly journalBodies?: boolean;
  /**
   * Who may use the control endpoints: `loopback` (the default), callers of this machine without a token and others with
   * one; `token`, every caller with a token; `off`, none.
   */
  readonly admin?: 'off' | 'loopback' | 'token';
  /** Whether there is a page for browsers at `/_tabularium/`. Default: true. */
  readonly explorer?: boolean;
  /** The token of the control endpoints. Without it, an instance that needs one makes it. */
  readonly adminToken?: string;
  /** A token of the control endpoints that may only read. */
  readonly adminReadToken?: string;
  /** Keeps what resets and restores remove for ten minutes, for `undo`. The default is true. */
  readonly undo?: boolean;
  /** Makes requests fail as long as the instance runs: `flaky`, `cloud`, or rules in words, as `--faults` takes them. */
  readonly faults?: string;
  /** Decides which requests fail, to repeat a run. Without it one is chosen. */
  readonly faultSeed?: number;
  /** How long the name of a deleted table is refused with 409, as in the cloud. Unit: milliseconds. The default is 0. */
  readonly deleteTableMs?: number;
  /** Size of the read cache. Unit: MiB. */
  readonly cacheMb?: number;
  /** Where an acknowledged write is stored: in the buffers of the operating system (`os`), or on disk (`fsync`). */
  readonly durability?: 'os' | 'fsync';
  /** A pino logger for every request and error. Without it, nothing is logged. */
  readonly logger?: Logger;
}

/** A throw-away account that began as a copy. `await using` removes it at the end of the block. */
export interface TabulariumBranch extends CreatedBranch, AsyncDisposable {
  /** The connection string of the branch, for every SDK. */
  readonly connectionString: string;
  /** The address of its tables. */
  readonly endpoint: string;
  /** Removes the branch with everything in it. A second call does nothing. */
  delete(): Promise<void>;
}

/** What a branch begins as, and how long it lasts. */
export type BranchOptions = NonNullable<Parameters<ServerCalls['branches']['create']>[0]>;

/** The branches of an instance. */
export interface BranchCalls extends Omit<ServerCalls['branches'], 'create'> {
  /**
   * Creates a throw-away account that begins as a copy of a snapshot or an account, so that tests that run side by side each own
   * their data. Costs a few milliseconds whatever the number of entities. Errors: Error for an unknown source.
   */
  create(options?: BranchOptions): Promise<TabulariumBranch>;
}

/** What an import reads: the path of a file or a folder, or the pieces of one text. */
export type ImportedData = string | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** The calls of an instance that import files and write them. */
export interface TransferCalls {
  /**
   * Imports data. The ending of a file tells its format; pieces of text are NDJSON unless `format` says otherwise. Rows that
   * the service would refuse are in the report, and the others go in.
   *
   * Errors: Error for data that cannot be read, and for a refused row if the wish is strict.
   */
  import(data: ImportedData, wish?: ImportWish & { readonly format?: TransferFormat }): Promise<ImportReport>;
  /**
   * Writes the data as it is at one moment to a file, or to a folder with a file for each table if the name has no ending of a
   * format. An export that fails leaves an older one as it was.
   *
   * Errors: Error if the path has something that is not an export.
   */
  exportTo(path: string, wish?: ExportWish): Promise<void>;
}

/** A running instance. A process can have any number of instances; they share nothing. */
export interface Tabularium
  extends AsyncDisposable,
    TransferCalls,
    Pick<
      ServerCalls,
      | 'reset'
      | 'undo'
      | 'snapshots'
      | 'diff'
      | 'tables'
      | 'entities'
      | 'faults'
      | 'clock'
      | 'mark'
      | 'requests'
      | 'changes'
      | 'coach'
      | 'export'
      | 'health'
      | 'why'
      | 'explain'
      | 'info'
      | 'identities'
    > {
  readonly branches: BranchCalls;
  /** Scheme, host and port, without a final slash. */
  readonly url: string;
  readonly port: number;
  /** The connection string of the first account, for every SDK. */
  readonly connectionString: string;
  /** Scheme, host and port of the listener for Cosmos DB, without a final slash; undefined without one. */
  readonly cosmosUrl: string | undefined;
  /** The connection string of the first account of Cosmos DB; undefined without the listener. */
  readonly cosmosConnectionString: string | undefined;
  /** The self-signed certificate of the instance, as PEM, for clients to trust; undefined without one. */
  readonly certificate: string | undefined;
  /** The token of the control endpoints, if there is one. */
  readonly adminToken: string | undefined;
  /**
   * Returns the credential of an identity, for clients in this process; of the only one if none is named. Errors: ConfigError for
   * an unknown identity.
   */
  credential(identity?: string): IdentityCredential;
  /** Returns the connection string of an account. Errors: ConfigError for an unknown account. */
  connectionStringOf(account: string): string;
  /** Returns the address of an account's tables, by default the first account's. Errors: ConfigError. */
  endpoint(account?: string): string;
  /**
   * Finishes the current requests, then releases the port and the data. Data in memory is lost. A second call does
   * nothing.
   */
  close(): Promise<void>;
}
