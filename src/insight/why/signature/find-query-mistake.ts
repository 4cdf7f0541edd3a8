import type { Query } from '../../../address/query.js';
import { hasSignature } from '../../../auth/shared-access-signature.js';
import { signatureFieldNames } from '../../../auth/string-to-sign.js';
import type { Mistake } from './signed-text.js';

/** Finds how a shared access signature was put into the URL in a wrong way, so that its fields cannot be read. */
export function findQueryMistake(query: Query): Mistake | undefined {
  const names = [...query.names()];
  if (names.some((name) => name.startsWith('?') || /\?(?:sv|sig|se|sp)=/.test(query.get(name) ?? ''))) {
    return {
      cause: 'sas-question-mark',
      text: 'The signature begins with a second question mark.',
      advice: 'Join it to the URL with one question mark, or with & if the URL has a query.',
    };
  }
  if (names.some((name) => name.startsWith('amp;'))) {
    return {
      cause: 'sas-html',
      text: 'The parameters of the signature are separated by &amp;, as in HTML.',
      advice: 'Replace each &amp; with &.',
    };
  }
  const repeated = signatureFieldNames.find((name) => query.isRepeated(name));
  if (repeated !== undefined) {
    return {
      cause: 'sas-twice',
      text: `The URL has the parameter ${repeated} of the signature twice.`,
      advice: 'Append the signature once. The endpoint of the client may have it already.',
    };
  }
  if (names.includes('sv') && (query.get('sig') ?? '') === '') {
    return {
      cause: 'sas-without-sig',
      text: `The shared access signature has ${hasSignature(query) ? 'an empty sig' : 'no sig'}.`,
      advice: 'Copy the whole signature, and quote the URL in a shell: & ends a command there.',
    };
  }
  return undefined;
}
