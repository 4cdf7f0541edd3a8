import { redactSecrets } from '../../protocol/redact-secrets.js';
import { readReferences } from '../../protocol/xml/xml-references.js';
import { type KeptBodies, keptBodyBytesMax } from '../../service/observe.js';

/** Maximum memory for all bodies. Unit: bytes. (Our choice.) */
const bytesMax = 8 * 1024 * 1024;

/** The retained parts of a request's bodies as texts, without secrets. */
export interface BodyTexts {
  readonly request: string | undefined;
  readonly answer: string | undefined;
}

/** The bodies of the last requests, bounded in number and bytes. The oldest are dropped first. */
export class BodyKeeper {
  readonly #capacity: number;
  readonly #kept = new Map<number, KeptBodies>();
  #bytes = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Retains the bodies of the request at a journal position. Positions only grow. */
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

  /** Returns the bodies of the request at a position; undefined if there are none. */
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

/** Matches an `Authorization` header in the operation of a transaction. */
const authorization = /^([ \t]*authorization[ \t]*:).*$/gim;

/** Matches a word that may be a URL, up to white space, a quote or an angle bracket. */
const word = /[^\s"<>]+/g;

const phrase = /[^"<>\r\n]+/g;

/** Matches credentials after the name of their scheme and a blank. */
const schemed = /((?:Bearer|SharedKey(?:Lite)?)[\s+]+)[^\s"<>…]+/gi;

/**
 * Matches the last characters of a truncated body if they may begin a key, a signature or a token, which are recognizable only by
 * their end.
 */
const cutSecret =
  /(?<![\w+/])(?:(?:[\w+/-]|%(?:25)*2[bf]){1,88}={0,2}|eyJ[\w-]*(?:\.[\w-]*){1,2})(?:%[\da-f]{0,8}|\\u?[\da-f]{0,4}|&[#\w]{0,8})?$/i;

/**
 * Matches an XML reference to an ASCII character. In XML nested in XML, it has several ampersands. Longer numbers are other
 * characters, some of which do not exist.
 */
const reference = /&(?:amp;|#38;|#x26;)*(#0*\d{1,3};|#x0*[0-9a-fA-F]{1,2};|(?:amp|lt|gt|quot|apos);)/g;

/** Replaces references to ASCII characters. */
function readPlain(text: string): string {
  return text.includes('&') ? text.replace(reference, (_, last: string) => readReferences(`&${last}`)) : text;
}

/** Redacts credentials that follow their scheme. Text without any stays unchanged. */
function redactPhrase(text: string): string {
  if (!/bearer|sharedkey/i.test(text) && !text.includes('&')) return text;
  const plain = readPlain(text);
  const redacted = plain.replace(schemed, '$1…');
  return redacted === plain ? text : redacted;
}

function redactWord(text: string): string {
  const plain = readPlain(text);
  const redacted = redactSecrets(plain);
  return redacted === plain ? text : redacted;
}

/** Matches a JSON escape of an ASCII character from U+0020. */
const escaped = /\\u00([2-7][0-9a-f])/gi;

/**
 * Returns a body without credentials: headers of operations in a transaction, signatures in URLs, and credentials after the name
 * of a scheme, even in property values. `isCut` means that the body is truncated.
 */
export function redactBody(body: string, isCut = false): string {
  const whole = isCut ? body.replace(cutSecret, '…') : body;
  const plain = whole.replace(escaped, (sequence, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16));
    return character === '"' || character === '\\' ? sequence : character;
  });
  return plain.replace(authorization, '$1 …').replace(phrase, redactPhrase).replace(word, redactWord);
}
