import { withoutFinalSlashes } from '../address/parse-address.js';
import { Query } from '../address/query.js';
import { hostOf, targetOf } from '../address/request-target.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';

/** Where a part of a batch goes: path and query after the account, as sent. */
export interface PartAddress {
  readonly path: string;
  readonly query: Query;
}

/** The address of the batch itself, which every part has to share. */
export interface OuterAddress {
  readonly account: string;
  /** Scheme, host and account prefix, without a final slash. */
  readonly base: string;
}

/**
 * Splits the URL of a part, which is absolute or only a path. A path alone may or may not name the account. An absolute
 * URL may have any host that names the account: clients write the public one.
 *
 * Errors: InvalidInput for another account, and for a host that names none where the path names none either.
 * Source: batch 1; checks-order 8 step 4.
 */
export function splitPartUrl(url: string, { account, base }: OuterAddress): PartAddress {
  const host = hostOf(url);
  const target = targetOf(url);
  const queryAt = target.indexOf('?');
  const whole = (queryAt < 0 ? target : target.slice(0, queryAt)).replace(/^\//, '');
  const prefix = targetOf(base).slice(1);
  const segment = whole.split('/', 1)[0] ?? '';
  const isNamed = prefix !== '' && (segment === prefix || segment === account);
  const path = withoutFinalSlashes(isNamed ? whole.slice(segment.length + 1) : whole);
  if (host !== undefined && !isHostOf(account, lowerAscii(host), lowerAscii(hostOf(base) ?? ''), isNamed))
    throw refused();
  if (path.includes('/')) throw refused();
  return { path, query: new Query(queryAt < 0 ? '' : target.slice(queryAt + 1)) };
}

/** Whether a host can be meant for the account: its first label is the account, or the path has the name instead. */
function isHostOf(account: string, host: string, ownHost: string, isNamed: boolean): boolean {
  const label = /^[^.:]*/.exec(host)?.[0];
  const name = lowerAscii(account);
  if (host === ownHost || label === name || label === `${name}-secondary`) return true;
  // A host of this form names another account, whatever its path has.
  return isNamed && !/^[^.:]+\.table\./.test(host);
}

function refused(): TableError {
  return new TableError('InvalidInput');
}
