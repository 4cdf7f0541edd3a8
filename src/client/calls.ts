// `npm run reference` writes this file from src/verbs.

import type { ExplainedFilter } from '../insight/why/filter/explained-filter.js';
import type { ExplainedRequest } from '../insight/explained-request.js';
import type { FaultRule } from '../faults/contract.js';
import type { FaultSummary } from '../faults/contract.js';
import type { Finding } from '../insight/finding.js';
import type { ImportReport } from '../transfer/contract.js';

/** What an instance does, as its control endpoints and the command line do. Errors: Error, in words for the caller. */
export interface ServerCalls {
  readonly branches: {
    /**
     * Create a throwaway account as a copy of a snapshot or an account.
     * @param options.from A snapshot, or an account as it is now (default: `seed` if it exists).
     * @param options.account The account of a snapshot of several (default: the first one).
     * @param options.for When it ends by itself (default: 1h, at most 7d).
     */
    create(options?: { readonly from?: string; readonly account?: string; readonly for?: string }): Promise<CreatedBranch>;
    /**
     * Delete a branch and its data.
     * @param account The account of the branch.
     */
    delete(account: string): Promise<void>;
    /**
     * List the branches, the next to expire first.
     */
    list(): Promise<readonly BranchSummary[]>;
  };
  readonly changes: {
    /**
     * Print the kept changes, then each new one until the server stops.
     * @param options.since Only changes after this mark, or after this position.
     * @param options.account Only this account.
     * @param options.table Only this table.
     */
    follow(options?: { readonly since?: number | string; readonly account?: string; readonly table?: string }): Promise<AsyncIterable<WrittenChange | DroppedChanges>>;
    /**
     * List the last writes, without their values.
     * The last 8,192 changes are kept. If some after the place were overwritten, it fails: over HTTP with 410.
     * @param options.since Only changes after this mark, or after this position.
     * @param options.account Only this account.
     * @param options.table Only this table.
     * @param options.until Only changes before this mark, or up to this position.
     */
    list(options?: { readonly since?: number | string; readonly account?: string; readonly table?: string; readonly until?: number | string }): Promise<readonly WrittenChange[]>;
  };
  readonly clock: {
    /**
     * Move the clock forward.
     * Only for data in memory, or with --allowTestClock.
     * @param by How far.
     */
    advance(by: string): Promise<ClockState>;
    /**
     * Freeze the clock now, or at a later instant.
     * Only for data in memory, or with --allowTestClock.
     * @param at The instant (default: now).
     */
    freeze(at?: string): Promise<ClockState>;
    /**
     * Resume a frozen clock: the real time plus every advance.
     */
    resume(): Promise<ClockState>;
    /**
     * Show the clock that stamps entities and checks signatures.
     */
    show(): Promise<ClockState>;
  };
  readonly coach: {
    /**
     * Discard the findings so far, such as after a warm-up.
     */
    clear(): Promise<void>;
    /**
     * Print each finding as it comes, and again if it gets worse, until the server stops.
     */
    follow(): Promise<AsyncIterable<Finding>>;
    /**
     * Report requests that would be slow or costly in Azure, worst first.
     * @param options.ended No more requests come: what clients have left undone is found, too.
     */
    show(options?: { readonly ended?: boolean }): Promise<CoachAnswer>;
  };
  /**
   * Compare two snapshots or accounts; the exit code is 1 if anything differs.
   * @param from The earlier state: a snapshot, or an account as it is now.
   * @param to The later state (default: the account of FROM as it is now).
   * @param options.account The account of snapshots of several (default: the first one).
   * @param options.table Only this table.
   * @param options.limit The most differences (default: 1000).
   */
  diff(from: string, to?: string, options?: { readonly account?: string; readonly table?: string; readonly limit?: number }): Promise<DiffReport>;
  readonly entities: {
    /**
     * Delete the entities of a table that match a filter.
     * @param table The table.
     * @param filter The $filter. To empty a table, use reset.
     * @param options.account The account of the table (default: the first one).
     */
    delete(table: string, filter: string, options?: { readonly account?: string }): Promise<DeletionReport>;
  };
  /**
   * Explain what a $filter costs in the cloud, or why it is rejected.
   * The command needs no server.
   * @param filter The $filter. An empty one is none.
   * @param options.tree Add the parts of the filter, for programs.
   */
  explain(filter: string, options?: { readonly tree?: boolean }): Promise<ExplainedFilter>;
  /**
   * Export data as of one moment.
   * The command writes to a PATH: a file, whose ending tells the format, or a folder, which gets a file for each table. An export that fails leaves an older one as it was.
   * @param options.account Only this account.
   * @param options.table Only this table.
   * @param options.format The format (default: that of the file, or ndjson).
   * @param options.filter Only the entities that this $filter finds.
   * @param options.select Only these properties.
   */
  export(options?: { readonly account?: string; readonly table?: string; readonly format?: 'ndjson' | 'json' | 'csv'; readonly filter?: string; readonly select?: readonly string[] }): Promise<AsyncIterable<Uint8Array>>;
  readonly faults: {
    /**
     * Delete all fault rules. Requests that wait for a fault continue.
     */
    clear(): Promise<void>;
    /**
     * Make requests fail by rules, or by a profile: flaky, cloud.
     * A rule without `times` and `for` ends after 60 seconds. One with the id of another replaces it.
     * @param rules Rules in words, or a profile; in JSON also a rule or a list of rules.
     * @param options.replace Remove all other rules.
     */
    create(rules: string | FaultRule | readonly (string | FaultRule)[], options?: { readonly replace?: boolean }): Promise<readonly FaultSummary[]>;
    /**
     * Delete a fault rule. Requests that wait for its fault continue.
     * @param id ID of the rule.
     */
    delete(id: string): Promise<void>;
    /**
     * List the fault rules with their hits, and those that ended recently.
     */
    list(): Promise<readonly FaultSummary[]>;
  };
  /**
   * Check whether a server serves requests.
   * Over HTTP it needs no token, and is answered with 503 if it does not. The command ends with 1 then, after at most five seconds.
   */
  health(): Promise<Health>;
  readonly identities: {
    /**
     * Print the variables that let a program run as an identity, as a .env file.
     * The program must also trust the certificate of the server.
     * @param name Name of the identity.
     */
    environment(name: string): Promise<IdentityVariables>;
    /**
     * List the identities with their client IDs and roles.
     */
    list(): Promise<readonly IdentitySummary[]>;
    /**
     * Print a token of an identity, for curl and other programs without an SDK.
     * @param name Name of the identity.
     * @param options.resource What it is for (default: https://storage.azure.com).
     * @param options.expires How long it is valid (default: as the file of identities says).
     */
    token(name: string, options?: { readonly resource?: string; readonly expires?: string }): Promise<IdentityToken>;
  };
  /**
   * Import files or folders; the exit code is 1 if rows are rejected.
   * Rows that the service would reject are in the report, and the others go in. Over HTTP, the file is the body, uncompressed, and the answer is lines: the progress, then the report or the error.
   * @param options.account The account (default: the one that the data names, or the first one).
   * @param options.table The table for everything (default: the one that the data or the file names).
   * @param options.defaultTable The table of rows for which the data names none.
   * @param options.format The format (default: that of the file).
   * @param options.mode What to do with entities that exist (default: insert).
   * @param options.strict Import nothing of a file if one of its rows is rejected.
   * @param options.dryRun Check the rows and import none.
   * @param options.infer Choose types for columns of CSV that have none.
   * @param options.map Where the columns of CSV go, as JSON.
   */
  import(options?: { readonly account?: string; readonly table?: string; readonly defaultTable?: string; readonly format?: 'ndjson' | 'json' | 'csv'; readonly mode?: 'insert' | 'replace' | 'merge'; readonly strict?: boolean; readonly dryRun?: boolean; readonly infer?: boolean; readonly map?: string }): Promise<AsyncIterable<ImportProgress | ImportReport | ImportFailure>>;
  /**
   * Show the version, start time and accounts of a server.
   */
  info(): Promise<ServerInfo>;
  /**
   * Mark the requests and changes that follow with a name, such as a test's.
   * @param name The name.
   */
  mark(name: string): Promise<Mark>;
  readonly requests: {
    /**
     * Export the last requests as an HTTP Archive, for browsers and proxies.
     * @param options.status Only this status, or this kind of status.
     * @param options.class Only this class of query.
     * @param options.op Only this operation.
     * @param options.table Only this table.
     * @param options.client Only clients with this part of a User-Agent, or this address.
     * @param options.mark Only requests after a mark with this text, such as the name of a test.
     * @param options.text Only requests with this in path, query, error code or request ID.
     * @param options.explorer Also the requests of the page for browsers.
     * @param options.after Only requests after this position in the journal.
     * @param options.before Only requests before this position in the journal.
     * @param options.limit How many of the newest requests (default: 200).
     */
    export(options?: { readonly status?: number | string; readonly class?: 'none' | 'point' | 'one-partition' | 'row-range' | 'partition-scan' | 'partition-range' | 'cross-partition' | 'table-scan'; readonly op?: string; readonly table?: string; readonly client?: string; readonly mark?: string; readonly text?: string; readonly explorer?: boolean; readonly after?: number; readonly before?: number; readonly limit?: number }): Promise<AsyncIterable<Uint8Array>>;
    /**
     * Print the kept requests, then each new one until the server stops.
     * @param options.status Only this status, or this kind of status.
     * @param options.class Only this class of query.
     * @param options.op Only this operation.
     * @param options.table Only this table.
     * @param options.client Only clients with this part of a User-Agent, or this address.
     * @param options.mark Only requests after a mark with this text, such as the name of a test.
     * @param options.text Only requests with this in path, query, error code or request ID.
     * @param options.explorer Also the requests of the page for browsers.
     * @param options.after Only requests after this position in the journal.
     */
    follow(options?: { readonly status?: number | string; readonly class?: 'none' | 'point' | 'one-partition' | 'row-range' | 'partition-scan' | 'partition-range' | 'cross-partition' | 'table-scan'; readonly op?: string; readonly table?: string; readonly client?: string; readonly mark?: string; readonly text?: string; readonly explorer?: boolean; readonly after?: number }): Promise<AsyncIterable<LogEntry | DroppedRequests>>;
    /**
     * List the last requests.
     * Names and texts are compared without regard to case.
     * @param options.status Only this status, or this kind of status.
     * @param options.class Only this class of query.
     * @param options.op Only this operation.
     * @param options.table Only this table.
     * @param options.client Only clients with this part of a User-Agent, or this address.
     * @param options.mark Only requests after a mark with this text, such as the name of a test.
     * @param options.text Only requests with this in path, query, error code or request ID.
     * @param options.explorer Also the requests of the page for browsers.
     * @param options.after Only requests after this position in the journal.
     * @param options.before Only requests before this position in the journal.
     * @param options.limit How many of the newest requests (default: 200).
     */
    list(options?: { readonly status?: number | string; readonly class?: 'none' | 'point' | 'one-partition' | 'row-range' | 'partition-scan' | 'partition-range' | 'cross-partition' | 'table-scan'; readonly op?: string; readonly table?: string; readonly client?: string; readonly mark?: string; readonly text?: string; readonly explorer?: boolean; readonly after?: number; readonly before?: number; readonly limit?: number }): Promise<readonly LogEntry[]>;
    /**
     * Show a request: its bodies, if kept, and a command line that repeats it.
     * @param id Its x-ms-request-id or x-ms-client-request-id.
     */
    show(id: string): Promise<ShownRequest>;
  };
  /**
   * Reset all data, or part of it, to the snapshot seed or to empty.
   * @param options.account Only this account. Branches are reset only by their name.
   * @param options.table Only this table. It stays and ends up empty.
   * @param options.tablePrefix Only tables whose names begin with this, in any case.
   * @param options.partition Only this partition of the table.
   * @param options.to `empty` or a snapshot (default: `seed` if it exists, else `empty`).
   */
  reset(options?: { readonly account?: string; readonly table?: string; readonly tablePrefix?: string; readonly partition?: string; readonly to?: string }): Promise<ResetReport>;
  /**
   * Get a shared access signature for each account, valid for an hour.
   * A token that may only read gets signatures that only read. It has no command: `sas` prints signed URLs.
   */
  session(): Promise<Session>;
  readonly snapshots: {
    /**
     * Take a snapshot of all accounts, or of one; replaces one of the same name.
     * @param name Name of the snapshot.
     * @param options.account Only this account.
     */
    create(name: string, options?: { readonly account?: string }): Promise<SnapshotSummary>;
    /**
     * Delete a snapshot.
     * @param name Name of the snapshot.
     */
    delete(name: string): Promise<void>;
    /**
     * List the snapshots by name, with their accounts.
     */
    list(): Promise<readonly SnapshotSummary[]>;
    /**
     * Restore the accounts of a snapshot, or one of them.
     * @param name Name of the snapshot.
     * @param options.account Only this account.
     */
    restore(name: string, options?: { readonly account?: string }): Promise<RestoreReport>;
  };
  readonly tables: {
    /**
     * List the tables of all accounts except branches, or of one account.
     * @param options.account Only this account.
     * @param options.count Count the entities of each, which reads all of them.
     */
    list(options?: { readonly account?: string; readonly count?: boolean }): Promise<readonly ListedTable[]>;
  };
  readonly undo: {
    /**
     * List the calls of the last ten minutes that can be undone, newest last.
     */
    list(): Promise<readonly UndoSummary[]>;
    /**
     * Undo a reset, an import, a restore or a deletion of the last ten minutes.
     * @param id ID that the call printed (default: the most recent one).
     */
    (id?: string): Promise<UndoReport>;
  };
  /**
   * Explain why a request was rejected, or what it costs.
   * @param id x-ms-request-id or x-ms-client-request-id (default: the last rejected request).
   */
  why(id?: string): Promise<ExplainedRequest>;
}

/** A branch that was made, with what clients need. */
export interface CreatedBranch {
  /** Its account. */
  readonly account: string;
  /** What it began as. */
  readonly from: BranchSource;
  /** When it ends by itself, in UTC. */
  readonly expires: string;
  /** Its only key, in base64. */
  readonly key: string;
  /** How many tables it began with. */
  readonly tables: number;
  /** The service that it belongs to. */
  readonly dialect: 'storage' | 'cosmos';
  /** Its connection string, by the host that the caller used. */
  readonly connectionString?: string;
}

/** A throw-away account that began as a copy. */
export interface BranchSummary {
  /** Its account. */
  readonly account: string;
  /** What it began as. */
  readonly from: BranchSource;
  /** When it ends by itself, in UTC. */
  readonly expires: string;
}

/** A change of an entity, without its values. */
export interface WrittenChange {
  /** Its position among the changes of the server, from 1. */
  readonly seq: number;
  /** When it was written, in UTC. */
  readonly at: string;
  /** The account. */
  readonly account: string;
  /** The table, in the letter case of its creation. */
  readonly table: string;
  /** The PartitionKey. */
  readonly partitionKey: string;
  /** The RowKey. */
  readonly rowKey: string;
  /** What it did. */
  readonly kind: 'insert' | 'replace' | 'merge' | 'delete';
  /** The ETag that the entity got; absent for a deletion. */
  readonly etag?: string;
  /** The x-ms-request-id of its request; absent for a change that no request asked for. */
  readonly requestId?: string;
  /** The x-ms-client-request-id of its request. */
  readonly clientRequestId?: string;
  /** The mark before it, such as the name of a test. */
  readonly mark?: string;
}

/** Changes that came too fast for their reader. */
export interface DroppedChanges {
  /** How many. */
  readonly dropped: number;
}

/** How the clock of a server stands. */
export interface ClockState {
  /** What it says, in UTC. */
  readonly now: string;
  /** Whether it stands still. */
  readonly frozen: boolean;
  /** How far it is ahead of the real time, in milliseconds. */
  readonly aheadMs: number;
}

/** What the coach has found, and what it has counted. */
export interface CoachAnswer {
  /** Whose requests these are. */
  readonly scope: string;
  /** What all requests have cost. */
  readonly usage: Usage;
  /** What was found. */
  readonly findings: readonly Finding[];
  /** What the queries of each shape have cost, those with the most reads first. */
  readonly queries: readonly ShapeUsage[];
  /** Requests that were not looked at, because there were too many. */
  readonly skippedRequests: number;
  /** Shapes of queries that were forgotten, because there were too many. */
  readonly forgottenShapes: number;
}

/** What differs between two states, in the order of tables and keys. */
export interface DiffReport {
  /** The differences, with each entity as an answer at minimal metadata has it. */
  readonly differences: readonly Difference[];
  /** Whether there are more. A list ends at its limit, or before its entities have more than 16 Mi characters. */
  readonly more: boolean;
}

/** What a deletion by a filter did. */
export interface DeletionReport {
  /** Deleted entities. */
  readonly entities: number;
  /** The ID by which it can be undone for ten minutes; absent if nothing is kept. */
  readonly undo?: string;
}

/** Whether requests are served. */
export interface Health {
  /** `ready`, or why not: with `writes-fail`, reads still work. */
  readonly status: 'ready' | 'stopping' | 'writes-fail' | 'tables-locked' | 'store-fails';
}

/** The environment of a program that runs as an identity. */
export interface IdentityVariables {
  /** The variables to set. One of them is a secret. */
  readonly set: readonly Variable[];
  /** The variables to remove, by which the program would find other credentials. */
  readonly remove: readonly string[];
}

/** An identity with its roles. */
export interface IdentitySummary {
  /** Its name in the file of identities. */
  readonly name: string;
  /** The ID of its program. */
  readonly clientId: string;
  /** Its own ID, which roles are assigned to. */
  readonly objectId: string;
  /** Its roles. */
  readonly roles: readonly HeldRole[];
}

/** A token of an identity. */
export interface IdentityToken {
  /** The token, a secret. */
  readonly token: string;
  /** When it expires, in seconds since 1970. */
  readonly expiresOn: number;
  /** What it is for. */
  readonly resource: string;
}

/** The progress. */
export interface ImportProgress {
  /** Rows so far. */
  readonly rows: number;
}

/** Why an import has ended. */
export interface ImportFailure {
  /** False. */
  readonly done: boolean;
  /** Why. */
  readonly error: string;
}

/** Which server it is. */
export interface ServerInfo {
  /** Its version. */
  readonly version: string;
  /** When it was started, in UTC. */
  readonly started: string;
  /** The names of its accounts. */
  readonly accounts: readonly string[];
}

/** A place among requests and changes. */
export interface Mark {
  /** Its name. */
  readonly mark: string;
  /** The position of the next request. */
  readonly next: number;
  /** The position of the last change before it. */
  readonly seq: number;
}

/** A request. Fields up to `ResponseBodySize` have the names of the table StorageTableLogs of the service. */
export interface LogEntry {
  /** When it ended, in UTC. */
  readonly TimeGenerated: string;
  /** The operation, such as QueryEntities. */
  readonly OperationName?: string;
  /** The status of the response. */
  readonly StatusCode: string;
  /** `Success`, the error code, or `ClientGone`. */
  readonly StatusText: string;
  /** How long it took. Unit: milliseconds. */
  readonly DurationMs: number;
  /** Its URL, without a signature. */
  readonly Uri: string;
  /** The account. */
  readonly AccountName?: string;
  /** The account, the table and the keys that it names. */
  readonly ObjectKey?: string;
  /** `HTTP` or `HTTPS`. */
  readonly Protocol: string;
  /** Its x-ms-version. */
  readonly OperationVersion?: string;
  /** How it was signed. */
  readonly AuthenticationType: string;
  /** The identity that a verified token was issued to. */
  readonly RequesterObjectId?: string;
  /** Its program. */
  readonly RequesterAppId?: string;
  /** Its tenant. */
  readonly RequesterTenantId?: string;
  /** The address of the client. */
  readonly CallerIpAddress: string;
  /** Its User-Agent. */
  readonly UserAgentHeader?: string;
  /** The x-ms-request-id of the response. */
  readonly CorrelationId: string;
  /** Its x-ms-client-request-id. */
  readonly ClientRequestId?: string;
  /** Length of its body. Unit: bytes. */
  readonly RequestBodySize: number;
  /** Length of the body of the response. Unit: bytes. */
  readonly ResponseBodySize: number;
  /** Its method. */
  readonly Method: string;
  /** Its position in the journal. */
  readonly Seq: number;
  /** The class of its query. */
  readonly Class?: string;
  /** The rule of the coach that its query is against. */
  readonly Rule?: string;
  /** Its query without the values. */
  readonly Shape?: string;
  /** How many entities this server tested or took for the response. */
  readonly EntitiesRead?: number;
  /** How many entities the response has. */
  readonly EntitiesReturned?: number;
  /** Whether the response has a continuation token. */
  readonly Continues?: boolean;
  /** The mark before it, such as the name of a test. */
  readonly Mark?: string;
  /** The IDs of the fault rules that acted on it, with commas between them. */
  readonly Fault?: string;
  /** The name of the identity that sent it, in the file of identities. */
  readonly Identity?: string;
  /** Whether the page for browsers sent it. */
  readonly Explorer?: boolean;
  /** Why it was rejected: the short name of the cause, and its words. */
  readonly Why?: string;
}

/** Requests that came too fast for their reader. */
export interface DroppedRequests {
  /** How many. */
  readonly Dropped: number;
}

/** A request. */
export interface ShownRequest {
  /** A request. Fields up to `ResponseBodySize` have the names of the table StorageTableLogs of the service. */
  readonly request: LogEntry;
  /** A command line for a POSIX shell that sends it again. `$SAS` in it stands for a signature. */
  readonly curl: string;
  /** Its body, as far as it is kept and without credentials. */
  readonly requestBody?: string;
  /** The body of the response, in the same way. */
  readonly responseBody?: string;
}

/** What a reset did. */
export interface ResetReport {
  /** `empty`, or the snapshot. */
  readonly to: string;
  /** Tables that were removed, emptied or restored. */
  readonly tables: number;
  /** Deleted entities; only for a partition. */
  readonly entities?: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** The ID by which it can be undone for ten minutes; absent if nothing is kept. */
  readonly undo?: string;
}

/** Signatures for a page. */
export interface Session {
  /** The version of the server. */
  readonly version: string;
  /** What the caller may do. */
  readonly right: 'all' | 'read';
  /** Whether the server listens on loopback addresses alone, which containers may not reach. */
  readonly isLoopbackOnly: boolean;
  /** When the signatures end, in UTC. */
  readonly expires: string;
  /** Whether keys, and signatures by them, are accepted; absent without identities. */
  readonly keys?: 'accepted' | 'refused';
  /** The accounts of the port that was reached. */
  readonly accounts: readonly SessionAccount[];
}

/** A snapshot. */
export interface SnapshotSummary {
  /** Its name. */
  readonly name: string;
  /** When it was taken, in UTC. Every Timestamp in it is earlier. */
  readonly at: string;
  /** Its accounts. */
  readonly accounts: readonly SnapshotAccount[];
}

/** What a restore did. */
export interface RestoreReport {
  /** Restored tables. */
  readonly tables: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** The ID by which it can be undone for ten minutes; absent if nothing is kept. */
  readonly undo?: string;
}

/** A table. */
export interface ListedTable {
  /** Its account. */
  readonly account: string;
  /** Its name. */
  readonly name: string;
  /** How many entities it has, if they were counted. */
  readonly entities?: number;
}

/** A call that can be undone. */
export interface UndoSummary {
  /** Its ID. */
  readonly id: string;
  /** What it did, in words. */
  readonly what: string;
  /** When it was, in UTC. */
  readonly at: string;
  /** Until when it can be undone, in UTC. */
  readonly until: string;
}

/** What an undo did. */
export interface UndoReport {
  /** The call that was undone. */
  readonly id: string;
  /** What that call did, in words. */
  readonly what: string;
  /** Tables that are as they were before. */
  readonly tables: number;
  /** Entities that the call had removed or changed in other tables, and that are as they were before. */
  readonly entities: number;
  /** What others have changed since, and therefore stays; the first 100. */
  readonly leftOut: readonly LeftOut[];
  /** How many there are in all. */
  readonly leftOutCount: number;
  /** How long it took, in milliseconds. */
  readonly ms: number;
}

/** What it began as. */
export interface BranchSource {
  /** The account. */
  readonly account: string;
  /** The snapshot that has the account; absent: the account as it was. */
  readonly snapshot?: string;
}

/** What all requests have cost. */
export interface Usage {
  /** Requests. */
  readonly requests: number;
  /** Entities that this server read. */
  readonly read: number;
  /** Entities that it returned. */
  readonly returned: number;
}

/** What queries of a shape have cost. */
export interface ShapeUsage {
  /** The account; for a branch, the account that it was taken from. */
  readonly account: string;
  /** The table. */
  readonly table: string;
  /** The query without its values. */
  readonly shape: string;
  /** How the cloud finds its entities. */
  readonly class: 'none' | 'point' | 'one-partition' | 'row-range' | 'partition-scan' | 'partition-range' | 'cross-partition' | 'table-scan';
  /** How many queries there were; pages of one query count once. */
  readonly calls: number;
  /** Entities that this server read. */
  readonly read: number;
  /** Entities that it returned. */
  readonly returned: number;
  /** The first request, by its ID. */
  readonly firstRequest: string;
  /** The marks under which it was seen, such as names of tests. */
  readonly marks: readonly string[];
}

/** A table or an entity that differs between two states. */
export interface Difference {
  /** How it differs. */
  readonly kind: 'table-added' | 'table-removed' | 'added' | 'removed' | 'changed';
  /** Its table. */
  readonly table: string;
  /** The entity; absent for a whole table. */
  readonly partitionKey?: string;
  /** The entity; absent for a whole table. */
  readonly rowKey?: string;
  /** The entity in the earlier state. */
  readonly before?: unknown;
  /** The entity in the later state. */
  readonly after?: unknown;
}

/** A variable of the environment. */
export interface Variable {
  /** Its name. */
  readonly name: string;
  /** Its value. */
  readonly value: string;
}

/** A role that an identity has. */
export interface HeldRole {
  /** The role. */
  readonly role: string;
  /** The account that it is limited to. */
  readonly account?: string;
  /** The table that it is limited to. */
  readonly table?: string;
}

/** An account and its signature. */
export interface SessionAccount {
  /** Its name. */
  readonly name: string;
  /** A shared access signature, as a query without a question mark. */
  readonly sas: string;
  /** The service that it belongs to; absent for storage accounts. */
  readonly dialect?: 'storage' | 'cosmos';
  /** What the account began as, if it is a branch. */
  readonly branch?: SessionBranch;
}

/** An account in a snapshot. */
export interface SnapshotAccount {
  /** Its name. */
  readonly name: string;
  /** How many tables it has. */
  readonly tables: number;
}

/** Something that an undo has left as it is. */
export interface LeftOut {
  /** Its account. */
  readonly account: string;
  /** Its table. */
  readonly table: string;
  /** The entity; absent for the whole table. */
  readonly partitionKey?: string;
  /** The entity; absent for the whole table. */
  readonly rowKey?: string;
  /** Why, in words. */
  readonly why: string;
}

/** What the account began as, if it is a branch. */
export interface SessionBranch {
  /** Its origin. */
  readonly from: SessionOrigin;
  /** When it ends, in UTC. */
  readonly expires: string;
}

/** Its origin. */
export interface SessionOrigin {
  /** The account. */
  readonly account: string;
  /** The snapshot. */
  readonly snapshot?: string;
}
