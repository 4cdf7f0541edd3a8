import { Readable } from 'node:stream';
import { redactSecrets } from '../../protocol/redact-secrets.js';
import type { BodyTexts } from './body-keeper.js';
import type { Journal, JournalEntry } from './journal.js';
import { type RequestWish, selectEntries, selectionOf } from './select-entries.js';
import { urlOf } from './write-entry.js';

/** Returns the newest entries of a wish as an HTTP Archive 1.2, which browsers and proxies open, oldest first. */
export function writeHar(journal: Journal, wish: RequestWish, version: string): Readable {
  return Readable.from(writeTexts(journal, wish, version), { objectMode: false });
}

async function* writeTexts(journal: Journal, wish: RequestWish, version: string): AsyncGenerator<string> {
  const creator = JSON.stringify({ name: 'tabularium', version });
  let before = `{"log":{"version":"1.2","creator":${creator},"entries":[`;
  for await (const entry of selectEntries(journal, selectionOf(wish))) {
    yield before + JSON.stringify(writeHarEntry(entry, journal.readBodies(entry.seq)));
    before = ',';
  }
  yield `${before === ',' ? '' : before}]}}\n`;
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
