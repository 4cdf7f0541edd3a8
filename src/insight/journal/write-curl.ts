import { signatureFieldNames } from '../../auth/string-to-sign.js';
import { redactSecrets } from '../../protocol/redact-secrets.js';
import { shellWord } from '../../protocol/shell-word.js';
import type { JournalEntry } from './journal.js';
import { urlOf } from './write-entry.js';

/**
 * Returns a command line for a POSIX shell that sends a request again, with the types that it had. It has no signature: `$SAS` stands for one
 * that `tabularium sas` prints, and `@body` for a file with the body, which the journal does not keep.
 */
export function writeCurl(entry: JournalEntry): string {
  const url = withoutSignature(urlOf(entry));
  const words = ['curl', '--request', entry.method, `${shellWord(url)}"${url.includes('?') ? '&' : '?'}$SAS"`];
  if (entry.version !== undefined) words.push('--header', headerOf('x-ms-version', entry.version));
  // Without this, curl would send an Accept of all types.
  words.push('--header', entry.accept === undefined ? shellWord('Accept:') : headerOf('Accept', entry.accept));
  if (entry.requestBytes > 0) {
    if (entry.contentType !== undefined) words.push('--header', headerOf('Content-Type', entry.contentType));
    words.push('--data-binary', '@body');
  }
  return words.join(' ');
}

/** Removes the parameters of a shared access signature, which would be sent twice. */
function withoutSignature(url: string): string {
  const at = url.indexOf('?');
  if (at < 0) return url;
  const kept = url
    .slice(at + 1)
    .split('&')
    .filter((pair) => !signatureFieldNames.some((name) => pair.startsWith(`${name}=`)));
  return kept.length === 0 ? url.slice(0, at) : `${url.slice(0, at)}?${kept.join('&')}`;
}

function headerOf(name: string, value: string): string {
  return shellWord(`${name}: ${redactSecrets(value)}`);
}
