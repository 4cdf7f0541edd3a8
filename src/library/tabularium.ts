import type { CreatedBranch, LogEntry, ServerCalls, WrittenChange } from '../client/calls.js';
import type { Finding } from '../insight/coach/finding.js';
import type { ExplainedRequest } from '../insight/explained-request.js';
import type { AcceptedFilter, ExplainedFilter, RejectedFilter } from '../insight/why/filter/explained-filter.js';
import type { ExportWish, ImportReport, ImportWish, TransferFormat } from '../transfer/contract.js';

export type { AcceptedFilter, ExplainedFilter, ExplainedRequest, Finding, LogEntry, RejectedFilter, WrittenChange };

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

/** A throw-away account that began as a copy. `await using` removes it at the end of the block. */
export interface TabulariumBranch extends CreatedBranch, AsyncDisposable {
  /** The connection string of the branch, for every SDK. */
  readonly connectionString: string;
  /** The address of its tables. */
  readonly endpoint: string;
  /** Removes the branch with everything in it. A second call does nothing. */
  delete(): Promise<void>;
}

/** The source of a branch, and its lifetime. */
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
   * the service would reject are in the report, and the others go in.
   *
   * Errors: Error for data that cannot be read, and for a rejected row if `wish` is strict.
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
