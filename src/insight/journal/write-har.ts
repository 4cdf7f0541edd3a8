import { redactSecrets } from '../../protocol/redact-secrets.js';
import type { BodyTexts } from './body-keeper.js';
import type { JournalEntry } from './journal.js';
import { urlOf } from './write-entry.js';

/** Returns what stands around the list of entries in an HTTP Archive 1.2, which browsers and proxies open. */
export function harAround(version: string): readonly [start: string, end: string] {
  const creator = { name: 'tabularium', version };
  return [`{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[`, ']}}'];
}

/**
 * Returns a request as an entry of an HTTP Archive. Of the headers only the types and the version are kept; the time is the
 * server's. `bodies` are undefined if they are not kept.
 */
export function writeHarEntry(entry: JournalEntry, bodies: BodyTexts | undefined): object {
  const url = urlOf(entry);
  return {
    startedDateTime: new Date(entry.at - entry.durationMs).toISOString(),
    time: entry.durationMs,
    request: {
      method: entry.method,
      url,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headersOf(entry),
      queryString: queryOf(url),
      headersSize: -1,
      bodySize: entry.requestBytes,
      ...(bodies?.request !== undefined && {
        postData: { mimeType: redactSecrets(entry.contentType ?? ''), text: bodies.request },
      }),
    },
    response: {
      status: entry.status,
      statusText: entry.code ?? '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: [{ name: 'x-ms-request-id', value: entry.requestId }],
      content: {
        size: entry.answerBytes,
        mimeType: '',
        ...(bodies?.answer !== undefined && { text: bodies.answer }),
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: entry.answerBytes,
    },
    cache: {},
    timings: { send: 0, wait: entry.durationMs, receive: 0 },
    ...(entry.mark !== undefined && { comment: redactSecrets(entry.mark) }),
  };
}

function headersOf({ accept, contentType, version }: JournalEntry): readonly { name: string; value: string }[] {
  const kept = [
    ['Accept', accept],
    ['Content-Type', contentType],
    ['x-ms-version', version],
  ] as const;
  return kept.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value: redactSecrets(value) }]));
}

function queryOf(url: string): readonly { readonly name: string; readonly value: string }[] {
  const at = url.indexOf('?');
  return at < 0 ? [] : [...new URLSearchParams(url.slice(at + 1))].map(([name, value]) => ({ name, value }));
}
