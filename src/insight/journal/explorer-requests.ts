import type { HeaderFields } from '../../protocol/header-fields.js';

/**
 * Returns whether the page of this server has sent a request. The page says so, because the journal hides its requests and
 * the coach leaves them out: what the page reads is not what a program does.
 */
export function isOfExplorer(headers: HeaderFields): boolean {
  return headers['x-tabularium-client'] === 'explorer';
}
