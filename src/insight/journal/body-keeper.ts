import { redactSecrets } from '../../protocol/redact-secrets.js';
import { readReferences } from '../../protocol/xml/xml-references.js';
import { type KeptBodies, keptBodyBytesMax } from '../../service/observe.js';

/** How much memory all bodies take at most. Unit: bytes. (Our choice.) */
const bytesMax = 8 * 1024 * 1024;

/** The bodies of a request as texts, without secrets, each as far as it is kept. */
export interface BodyTexts {
  readonly request: string | undefined;
  readonly answer: string | undefined;
}

/** The bodies of the last requests, bounded in number and in bytes. The oldest are dropped first. */
export class BodyKeeper {
  readonly #capacity: number;
  readonly #kept = new Map<number, KeptBodies>();
  #bytes = 0;

  /** Keeps the bodies of at most this many requests. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Keeps the bodies of the request at a position of the journal. Positions only grow. */
  keep(seq: number, bodies: KeptBodies): void {
    const bytes = bytesOf(bodies);
    if (bytes === 0) return;
    this.#kept.set(seq, bodies);
    this.#bytes += bytes;
    for (const [oldest, dropped] of this.#kept) {
      if (this.#bytes <= bytesMax && this.#kept.size <= this.#capacity) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytesOf(dropped);
    }
  }

  /** Returns the bodies of the request at a position; undefined if none are kept. */
  read(seq: number): BodyTexts | undefined {
    const bodies = this.#kept.get(seq);
    return bodies && { request: textOf(bodies.request), answer: textOf(bodies.answer) };
  }
}

function bytesOf({ request, answer }: KeptBodies): number {
  return (request?.length ?? 0) + (answer?.length ?? 0);
}

function textOf(body: Buffer | undefined): string | undefined {
  return body && redactBody(body.toString(), body.length === keptBodyBytesMax);
}

/** Matches the value of an `Authorization` header in the operation of a transaction. */
const authorization = /^([ \t]*authorization[ \t]*:).*$/gim;

/** Matches a word that may be a URL. White space, quotes and angle brackets end it. */
const word = /[^\s"<>]+/g;

/** Matches words with the blanks between them. */
const phrase = /[^"<>\r\n]+/g;

/** Matches credentials after the name of their scheme and a blank, which are two words. */
const schemed = /((?:Bearer|SharedKey(?:Lite)?)[\s+]+)[^\s"<>…]+/gi;

/**
 * Matches the last characters of a body that was cut, if they may be the beginning of a key, a signature or a token. Such a secret
 * is only recognized by its end.
 */
const cutSecret =
  /(?<![\w+/])(?:(?:[\w+/-]|%(?:25)*2[bf]){1,88}={0,2}|eyJ[\w-]*(?:\.[\w-]*){1,2})(?:%[\da-f]{0,8}|\\u?[\da-f]{0,4}|&[#\w]{0,8})?$/i;

/**
 * Matches a reference to any character of ASCII, as XML has it. One in XML that is a value in XML has several ampersands.
 * Longer numbers are other characters, some of which do not exist.
 */
const reference = /&(?:amp;|#38;|#x26;)*(#0*\d{1,3};|#x0*[0-9a-fA-F]{1,2};|(?:amp|lt|gt|quot|apos);)/g;

/** Replaces references to characters of ASCII. */
function readPlain(text: string): string {
  return text.includes('&') ? text.replace(reference, (_, last: string) => readReferences(`&${last}`)) : text;
}

/** Redacts credentials in words that follow each other. Words without any stay as they are written. */
function redactPhrase(text: string): string {
  if (!/bearer|sharedkey/i.test(text) && !text.includes('&')) return text;
  const plain = readPlain(text);
  const redacted = plain.replace(schemed, '$1…');
  return redacted === plain ? text : redacted;
}

/** Redacts a word. One without a secret stays as it is written. */
function redactWord(text: string): string {
  const plain = readPlain(text);
  const redacted = redactSecrets(plain);
  return redacted === plain ? text : redacted;
}

/** Matches a character of ASCII, but a quote and a backslash, that JSON has as an escape. */
const escaped = /\\u00([2-7][0-9a-f])/gi;

/**
 * Returns a body without credentials: headers of the operations of a transaction, signatures in URLs and what follows the name of a
 * scheme, also in values of properties. `isCut` says that only the beginning of the body is there.
 */
export function redactBody(body: string, isCut = false): string {
  const whole = isCut ? body.replace(cutSecret, '…') : body;
  const plain = whole.replace(escaped, (sequence, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16));
    return character === '"' || character === '\\' ? sequence : character;
  });
  return plain.replace(authorization, '$1 …').replace(phrase, redactPhrase).replace(word, redactWord);
}
