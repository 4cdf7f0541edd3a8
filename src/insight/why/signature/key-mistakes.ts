import type { Explanation } from '../../../protocol/explanation.js';

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
