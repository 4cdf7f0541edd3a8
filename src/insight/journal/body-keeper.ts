import { redactSecrets } from '../../protocol/redact-secrets.js';
import { readReferences } from '../../protocol/xml/xml-references.js';
import { type KeptBodies, keptBodyBytesMax } from '../../service/observe.js';

/** Maximum memory for all bodies and headers. Unit: bytes. (Our choice.) */
const bytesMax = 8 * 1024 * 1024;

/** A header, without secrets. */
export interface HeaderText {
  readonly name: string;
  readonly value: string;
}

/** The retained parts of a request's bodies as texts, and its headers, without secrets. */
export interface BodyTexts {
  readonly request: string | undefined;
  readonly answer: string | undefined;
  readonly requestHeaders: readonly HeaderText[];
  readonly answerHeaders: readonly HeaderText[];
}

/** The bodies of one request, and its headers as lines. */
type Kept = { readonly [Part in keyof KeptBodies]: Buffer | undefined };

/** The bodies and headers of the last requests, bounded in number and bytes. The oldest are dropped first. */
export class BodyKeeper {
  readonly #capacity: number;
  readonly #kept = new Map<number, Kept>();
  #bytes = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Retains the bodies of the request at a journal position, and its headers. Positions only grow. */
  keep(seq: number, { request, answer, requestHeaders, answerHeaders }: KeptBodies): void {
    const kept: Kept = {
      request,
      answer,
      requestHeaders: linesOf(Object.entries(requestHeaders)),
      answerHeaders: linesOf(pairsOf(answerHeaders)),
    };
    const bytes = bytesOf(kept);
    if (bytes === 0) return;
    this.#kept.set(seq, kept);
    this.#bytes += bytes;
    for (const [oldest, dropped] of this.#kept) {
      if (this.#bytes <= bytesMax && this.#kept.size <= this.#capacity) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytesOf(dropped);
    }
  }

  /** Returns the bodies and headers of the request at a position; undefined if there are none. */
  read(seq: number): BodyTexts | undefined {
    const kept = this.#kept.get(seq);
    return (
      kept && {
        request: textOf(kept.request),
        answer: textOf(kept.answer),
        requestHeaders: headersOf(kept.requestHeaders),
        answerHeaders: headersOf(kept.answerHeaders),
      }
    );
  }
}

function bytesOf(kept: Kept): number {
  return Object.values(kept).reduce((bytes, part) => bytes + (part?.length ?? 0), 0);
}

/** Matches the headers whose values are credentials. Those are never retained. */
const credential = /^(?:(?:proxy-)?authorization|cookie|x-identity-header)$/i;

/** Writes headers as lines, in memory outside of the heap. */
function linesOf(headers: readonly (readonly [name: string, value: unknown])[]): Buffer | undefined {
  if (headers.length === 0) return undefined;
  return Buffer.from(headers.map(([name, value]) => `${name}:${credential.test(name) ? '…' : value}`).join('\n'));
}

function pairsOf(list: readonly string[]): readonly (readonly [name: string, value: unknown])[] {
  return list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]] as const] : []));
}

function headersOf(lines: Buffer | undefined): readonly HeaderText[] {
  if (lines === undefined) return [];
  return lines
    .toString()
    .split('\n')
    .map((line) => {
      const [name = ''] = line.split(':', 1);
      return { name, value: redactSecrets(line.slice(name.length + 1)) };
    });
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
