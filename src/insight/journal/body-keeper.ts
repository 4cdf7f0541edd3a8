import { redactSecrets } from '../../protocol/redact-secrets.js';
import { readReferences } from '../../protocol/xml-references.js';
import type { KeptBodies } from '../../service/kept-bodies.js';

/** How much memory all bodies take at most. Unit: bytes. Ours. */
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
  return body && redactBody(body.toString());
}

/** Matches the value of an `Authorization` header in the operation of a transaction. */
const authorization = /^([ \t]*authorization[ \t]*:).*$/gim;

/** Matches a word that may be a URL. White space, quotes and angle brackets end it. */
const word = /[^\s"<>]+/g;

/**
 * Matches a reference to any character of ASCII, as XML has it. One in XML that is a value in XML has several ampersands.
 * Longer numbers are other characters, some of which do not exist.
 */
const reference = /&(?:amp;|#38;|#x26;)*(#0*\d{1,3};|#x0*[0-9a-fA-F]{1,2};|(?:amp|lt|gt|quot|apos);)/g;

/** Redacts a word. One without a signature stays as it is written. */
function redactWord(text: string): string {
  const plain = text.includes('&') ? text.replace(reference, (_, last: string) => readReferences(`&${last}`)) : text;
  // A signature follows an equals sign, plain or encoded. Most words have neither, and there are many.
  if (!plain.includes('=') && !plain.includes('%')) return text;
  const redacted = redactSecrets(plain);
  return redacted === plain ? text : redacted;
}

/** Matches a character of ASCII, but a quote and a backslash, that JSON has as an escape. */
const escaped = /\\u00([2-7][0-9a-f])/gi;

/**
 * Returns a body without credentials: headers of the operations of a transaction, and signatures in URLs, also those that
 * are values of properties.
 */
export function redactBody(body: string): string {
  const plain = body.replace(escaped, (whole, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16));
    return character === '"' || character === '\\' ? whole : character;
  });
  return plain.replace(authorization, '$1 …').replace(word, redactWord);
}
