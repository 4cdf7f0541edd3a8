import { redactSecrets } from '../../protocol/redact-secrets.js';
import { ownText } from '../../remembered.js';

/** Returns a copy of a text of a request that may be shown: it has no signature. Use it once for each finding or shape. */
export function shownText(text: string): string {
  return ownText(redactSecrets(text));
}
