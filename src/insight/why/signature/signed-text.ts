import type { Explanation } from '../../../protocol/explanation.js';

/** The parts of the string that Shared Key signs, in order. An absent part has no line. Source: auth 1. */
export interface SignedText {
  readonly method: string | undefined;
  readonly contentMd5: string | undefined;
  readonly contentType: string | undefined;
  readonly date: string | undefined;
  /** The account and the path, without the query. */
  readonly resource: string;
  /** The signed part of the query, with its question mark. */
  readonly suffix: string;
  /** Separates the lines. */
  readonly lineEnd: string;
  /** Follows the last line. */
  readonly tail: string;
}

/** The parts of a request that a client may have signed by mistake. */
export interface SignedMaterial {
  readonly account: string;
  /** The path as sent. */
  readonly path: string;
  /** The query as sent, without its question mark. */
  readonly query: string;
  readonly host: string;
  /** The names of all headers, in lower case. */
  readonly headerNames: readonly string[];
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

/** The key belongs to another account of this server. */
export const otherAccount: Mistake = {
  cause: 'key-of-other-account',
  text: 'The signature was created with the key of another account on this server.',
  advice: 'Use the key of the account in the request.',
};

/** A mistake in signing, and its effect on the signed text. */
export interface SigningMistake extends Mistake {
  /** Returns the text that a client with this mistake signs; undefined if the mistake makes no difference. */
  readonly apply: (right: SignedText, request: SignedMaterial) => SignedText | undefined;
}

/** Joins the parts to the string to sign. */
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

/** Decodes percent-encoding. Returns malformed text unchanged. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
