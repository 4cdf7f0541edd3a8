import { signatureFieldNames } from '../../auth/string-to-sign.js';
import { redactSecrets } from '../../protocol/redact-secrets.js';
import { shellWord } from '../../protocol/shell-word.js';
import type { BodyTexts } from './body-keeper.js';
import type { JournalEntry } from './journal.js';
import type { LogEntry } from './log-entry.js';
import { credentialKinds } from './request-ring.js';

/** Writes an entry as JSON. */
export function writeEntry(entry: JournalEntry): LogEntry {
  const { query, account } = entry;
  const isRead = entry.operation === 'Query Entities' || entry.operation === 'Get Entity';
  const fields: { readonly [Name in keyof LogEntry]: LogEntry[Name] | undefined } = {
    TimeGenerated: new Date(entry.at).toISOString(),
    OperationName: entry.operation?.replaceAll(' ', ''),
    StatusCode: String(entry.status),
    StatusText: entry.code ?? (entry.status < 400 ? 'Success' : 'ClientGone'),
    DurationMs: Math.round(entry.durationMs * 1000) / 1000,
    Uri: urlOf(entry),
    AccountName: account,
    ObjectKey: account && redactSecrets(objectKeyOf(entry, account)),
    Protocol: entry.isTls ? 'HTTPS' : 'HTTP',
    OperationVersion: entry.version && redactSecrets(entry.version),
    AuthenticationType: credentialKinds[entry.credentials] ?? 'Anonymous',
    RequesterObjectId: entry.principal?.objectId,
    RequesterAppId: entry.principal?.clientId,
    RequesterTenantId: entry.principal?.tenant,
    CallerIpAddress: entry.caller,
    UserAgentHeader: entry.userAgent && redactSecrets(entry.userAgent),
    CorrelationId: entry.requestId,
    ClientRequestId: entry.clientRequestId && redactSecrets(entry.clientRequestId),
    RequestBodySize: entry.requestBytes,
    ResponseBodySize: entry.answerBytes,
    Method: entry.method,
    Seq: entry.seq,
    Class: query?.class,
    Rule: query?.fault,
    Shape: entry.shape && redactSecrets(entry.shape),
    EntitiesRead: isRead ? entry.entitiesRead : undefined,
    EntitiesReturned: isRead ? entry.entitiesReturned : undefined,
    Continues: entry.continues ? true : undefined,
    Mark: entry.mark && redactSecrets(entry.mark),
    Fault: entry.fault,
    Identity: entry.principal?.name,
    Explorer: entry.isExplorers ? true : undefined,
    Why: entry.explanation && `${entry.explanation.cause}: ${entry.explanation.text}`,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as unknown as LogEntry;
}

/** Returns the URL of a request without secrets. */
export function urlOf({ isTls, host, target }: JournalEntry): string {
  return redactSecrets(target.startsWith('/') ? `${isTls ? 'https' : 'http'}://${host}${target}` : target);
}

/** Returns path and query of a request for people: decoded, and without the account. */
export function requestPath(entry: JournalEntry, account: string): string {
  const path = urlOf(entry).replace(/^https?:\/\/[^/]*/i, '');
  const own = path.startsWith(`/${account}/`) ? path.slice(account.length + 1) : path;
  try {
    return redactSecrets(decodeURIComponent(own));
  } catch {
    return own;
  }
}

function objectKeyOf({ resource, table }: JournalEntry, account: string): string {
  if (resource?.kind !== 'entity') return table === undefined ? `/${account}` : `/${account}/${table}`;
  const { partitionKey, rowKey } = resource.key;
  return `/${account}/${table}(PartitionKey='${partitionKey}',RowKey='${rowKey}')`;
}

/** The headers that decide what a request does, in addition to those of media types and version. */
const decisive: ReadonlySet<string> = new Set([
  'dataserviceversion',
  'if-match',
  'if-none-match',
  'maxdataserviceversion',
  'prefer',
  'x-http-method',
]);

/**
 * Returns a command line for a POSIX shell that repeats a request with its media types, and with its kept headers and body. `$SAS`
 * stands for a signature printed by `tabularium sas`, and `@body` for a file with a body that is not kept completely.
 */
export function writeCurl(entry: JournalEntry, kept?: Pick<BodyTexts, 'request' | 'requestHeaders'>): string {
  const url = unsignedUrlOf(entry);
  const words = ['curl', '--request', entry.method, `${shellWord(url)}"${url.includes('?') ? '&' : '?'}$SAS"`];
  if (entry.version !== undefined) words.push('--header', headerOf('x-ms-version', entry.version));
  // Otherwise curl would send `Accept: */*`.
  words.push('--header', entry.accept === undefined ? shellWord('Accept:') : headerOf('Accept', entry.accept));
  for (const { name, value } of kept?.requestHeaders ?? []) {
    if (decisive.has(name)) words.push('--header', headerOf(name, value));
  }
  if (entry.requestBytes > 0) {
    if (entry.contentType !== undefined) words.push('--header', headerOf('Content-Type', entry.contentType));
    // A body that was cut, or had a secret, has another length.
    const isWhole = kept?.request !== undefined && Buffer.byteLength(kept.request) === entry.requestBytes;
    words.push(...(isWhole ? ['--data-raw', shellWord(kept.request)] : ['--data-binary', '@body']));
  }
  return words.join(' ');
}

/** Returns the URL of a request without the parameters of a shared access signature, for another one to take their place. */
export function unsignedUrlOf(entry: JournalEntry): string {
  const url = urlOf(entry);
  const at = url.indexOf('?');
  if (at < 0) return url;
  const pairs = url
    .slice(at + 1)
    .split('&')
    .filter((pair) => !signatureFieldNames.some((name) => pair.startsWith(`${name}=`)));
  return pairs.length === 0 ? url.slice(0, at) : `${url.slice(0, at)}?${pairs.join('&')}`;
}

function headerOf(name: string, value: string): string {
  return shellWord(`${name}: ${redactSecrets(value)}`);
}
