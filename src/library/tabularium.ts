import type { CreatedBranch, LogEntry, ServerCalls, WrittenChange } from '../client/calls.js';
import type { Finding } from '../insight/coach/finding.js';
import type { ExplainedRequest } from '../insight/explained-request.js';
import type { AcceptedFilter, ExplainedFilter, RejectedFilter } from '../insight/why/filter/explained-filter.js';
import type { ExportWish, ImportReport, ImportWish, TransferFormat } from '../transfer/contract.js';

export type { AcceptedFilter, ExplainedFilter, ExplainedRequest, Finding, LogEntry, RejectedFilter, WrittenChange };

/** A storage account with one or two base64 keys. */
export interface TabulariumAccount {
  readonly name: string;
  readonly keys: readonly string[];
}

/** The second listener, for Cosmos DB, by default on a free port. */
export interface TabulariumCosmos {
  readonly port?: number;
  readonly accounts?: readonly TabulariumAccount[];
}

/** The certificate for HTTPS: paths to a PEM certificate and key, or to a PFX file. `password` decrypts the key. */
export type TabulariumCertificate =
  | { readonly cert: string; readonly key: string; readonly password?: string }
  | { readonly pfx: string; readonly password?: string };

/** A token for Azure clients. */
export interface AccessToken {
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresOnTimestamp: number;
}

/** A `TokenCredential` for Azure clients in this process. */
export interface IdentityCredential {
  getToken(scopes: string | readonly string[]): Promise<AccessToken>;
}

/** A throwaway account that began as a copy. `await using` removes it at the end of the block. */
export interface TabulariumBranch extends CreatedBranch, AsyncDisposable {
  readonly connectionString: string;
  /** Its table endpoint. */
  readonly endpoint: string;
  /** Removes the branch and its data. A second call does nothing. */
  delete(): Promise<void>;
}

/** The source of a branch, and its lifetime. */
export type BranchOptions = NonNullable<Parameters<ServerCalls['branches']['create']>[0]>;

/** The branches of an instance. */
export interface BranchCalls extends Omit<ServerCalls['branches'], 'create'> {
  /**
   * Creates a throwaway account as a copy of a snapshot or an account, so that each parallel test has its own data. Takes a few
   * milliseconds for any number of entities. Errors: Error for an unknown source.
   */
  create(options?: BranchOptions): Promise<TabulariumBranch>;
}

/** The input of an import: the path of a file or a folder, or the chunks of a text. */
export type ImportedData = string | AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** The calls of an instance that import and export files. */
export interface TransferCalls {
  /**
   * Imports data. The extension of a file determines its format; chunks are NDJSON by default. Imports all rows except those that the
   * service would reject, which are in the report.
   *
   * Errors: Error for data that cannot be read, and for a rejected row if `wish` is strict.
   */
  import(data: ImportedData, wish?: ImportWish & { readonly format?: TransferFormat }): Promise<ImportReport>;
  /**
   * Writes a consistent snapshot of the data to a file, or to a folder with one file per table if the name has no extension of a
   * format. A failed export leaves an older one unchanged. Errors: Error if the path exists and is not an export.
   */
  exportTo(path: string, wish?: ExportWish): Promise<void>;
}

/** A running instance. A process can have any number of independent instances. */
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
  /** Scheme, host and port, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The connection string of the first account, for every SDK. */
  readonly connectionString: string;
  /** Scheme, host and port of the listener for Cosmos DB, without a trailing slash; undefined without one. */
  readonly cosmosUrl: string | undefined;
  /** The connection string of the first Cosmos DB account; undefined without the listener. */
  readonly cosmosConnectionString: string | undefined;
  /** The self-signed certificate for clients to trust, as PEM; undefined without one. */
  readonly certificate: string | undefined;
  /** The token of the control endpoints, if any. */
  readonly adminToken: string | undefined;
  /**
   * Returns the credential of an identity, by default the only one, for clients in this process. Errors: ConfigError for an unknown
   * identity.
   */
  credential(identity?: string): IdentityCredential;
  /** Returns the connection string of an account. Errors: ConfigError for an unknown account. */
  connectionStringOf(account: string): string;
  /** Returns the table endpoint of an account, by default the first. Errors: ConfigError for an unknown account. */
  endpoint(account?: string): string;
  /** Drains requests in flight, then releases the port and the data. Data in memory is lost. A second call does nothing. */
  close(): Promise<void>;
}
