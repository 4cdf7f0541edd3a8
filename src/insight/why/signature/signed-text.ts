import type { Explanation } from '../../../protocol/explanation.js';

/** The parts of the text that Shared Key signs, in their order. An absent part has no line. Source: auth 1. */
export interface SignedText {
  readonly method: string | undefined;
  readonly contentMd5: string | undefined;
  readonly contentType: string | undefined;
  readonly date: string | undefined;
  /** The account and the path, without the query. */
  readonly resource: string;
  /** What of the query is signed, with its question mark. */
  readonly suffix: string;
  /** Between the lines. */
  readonly lineEnd: string;
  /** After the last line. */
  readonly tail: string;
}

/** What a request has that a client may have signed by mistake. */
export interface SignedMaterial {
  readonly account: string;
  /** The path as sent. */
  readonly path: string;
  /** The query as sent, without its question mark. */
  readonly query: string;
  readonly host: string;
  /** The names of all headers, in lower case. */
  readonly headerNames: readonly string[];
  /** Returns a header of the request. */
  readonly header: (name: string) => string | undefined;
}

/** A mistake of a client, in words. */
export type Mistake = Pick<Explanation, 'cause' | 'text' | 'advice'>;

/** The key was not decoded from base64. */
export const keyAsText: Mistake = {
  cause: 'key-as-text',
  text: 'The account key was used without decoding it.',
  advice: 'Decode the key from base64 before signing.',
};

/** The key is that of another account, which this server has too. */
export const otherAccount: Mistake = {
  cause: 'key-of-other-account',
  text: 'The signature was created with the key of another account on this server.',
  advice: 'Use the key of the account in the request.',
};

/** A mistake that clients make when they sign, and how the signed text then differs. */
export interface SigningMistake extends Mistake {
  /** Returns the text as a client with this mistake signs it; undefined if the mistake makes no difference. */
  readonly apply: (right: SignedText, request: SignedMaterial) => SignedText | undefined;
}

/** Returns the text that is signed. */
export function writeSignedText({
  method,
  contentMd5,
  contentType,
  date,
  resource,
  suffix,
  lineEnd,
  tail,
}: SignedText): string {
  const lines = [method, contentMd5, contentType, date, `${resource}${suffix}`];
  return lines.filter((line) => line !== undefined).join(lineEnd) + tail;
}

/** Returns a text without percent-encoding, or as it is if that cannot be read. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
