import { redactSignature } from '../http/log-request.js';
import { credentialKinds } from './credentials.js';
import type { JournalEntry } from './journal.js';

/**
 * An entry as JSON. The fields have the names that the service uses in its table StorageTableLogs; those from `Method` on
 * are ours. No signature, token or key is in it.
 */
export interface LogEntry {
  readonly TimeGenerated: string;
  readonly OperationName: string | undefined;
  readonly StatusCode: string;
  readonly StatusText: string;
  readonly DurationMs: number;
  readonly Uri: string;
  readonly AccountName: string | undefined;
  readonly ObjectKey: string | undefined;
  readonly Protocol: 'HTTP' | 'HTTPS';
  readonly OperationVersion: string | undefined;
  readonly AuthenticationType: string;
  readonly CallerIpAddress: string;
  readonly UserAgentHeader: string | undefined;
  /** The `x-ms-request-id` of the answer. */
  readonly CorrelationId: string;
  readonly ClientRequestId: string | undefined;
  readonly RequestBodySize: number;
  readonly ResponseBodySize: number;
  readonly Method: string;
  /** The position in the journal. */
  readonly Seq: number;
  readonly Class: string | undefined;
  readonly Flags: readonly string[] | undefined;
  readonly Shape: string | undefined;
  /** How many entities this server tested or took for the answer. */
  readonly EntitiesRead: number | undefined;
  readonly EntitiesReturned: number | undefined;
  /** Whether the answer has a continuation token. */
  readonly Continues: true | undefined;
  readonly Mark: string | undefined;
  /** Why the request was refused: the short name of the cause, and its words. */
  readonly Why: string | undefined;
}

/** Writes an entry as JSON. */
export function writeEntry(entry: JournalEntry): LogEntry {
  const { query, account } = entry;
  const isRead = entry.operation === 'Query Entities' || entry.operation === 'Get Entity';
  return {
    TimeGenerated: new Date(entry.at).toISOString(),
    OperationName: entry.operation?.replaceAll(' ', ''),
    StatusCode: String(entry.status),
    StatusText: entry.code ?? (entry.status < 400 ? 'Success' : 'ClientGone'),
    DurationMs: Math.round(entry.durationMs * 1000) / 1000,
    Uri: urlOf(entry),
    AccountName: account,
    ObjectKey: account && redactSignature(objectKeyOf(entry, account)),
    Protocol: entry.isTls ? 'HTTPS' : 'HTTP',
    OperationVersion: entry.version,
    AuthenticationType: credentialKinds[entry.credentials] ?? 'Anonymous',
    CallerIpAddress: entry.caller,
    UserAgentHeader: entry.userAgent,
    CorrelationId: entry.requestId,
    ClientRequestId: entry.clientRequestId,
    RequestBodySize: entry.requestBytes,
    ResponseBodySize: entry.answerBytes,
    Method: entry.method,
    Seq: entry.seq,
    Class: query?.class,
    Flags: query && query.flags.length > 0 ? query.flags : undefined,
    Shape: entry.shape && redactSignature(entry.shape),
    EntitiesRead: isRead ? entry.entitiesRead : undefined,
    EntitiesReturned: isRead ? entry.entitiesReturned : undefined,
    Continues: entry.continues ? true : undefined,
    Mark: entry.mark,
    Why: entry.explanation && `${entry.explanation.cause}: ${entry.explanation.text}`,
  };
}

/** Returns the URL of a request without its signature. */
export function urlOf({ isTls, host, target }: JournalEntry): string {
  const shown = redactSignature(target);
  return shown.startsWith('/') ? `${isTls ? 'https' : 'http'}://${host}${shown}` : shown;
}

function objectKeyOf({ resource }: JournalEntry, account: string): string {
  if (!resource || !('table' in resource)) return `/${account}`;
  if (resource.kind !== 'entity') return `/${account}/${resource.table}`;
  const { partitionKey, rowKey } = resource.key;
  return `/${account}/${resource.table}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
}
