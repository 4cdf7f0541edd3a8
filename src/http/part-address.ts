import { withoutFinalSlashes } from '../address/parse-address.js';
import { Query } from '../address/query.js';
import { hostOf, targetOf } from '../address/request-target.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';

/** The address of a part of a batch: path and query after the account, as sent. */
export interface PartAddress {
  readonly path: string;
  readonly query: Query;
}

/** The address of the batch itself. Every part must have the same account. */
export interface OuterAddress {
  readonly account: string;
  /** Scheme, host and account prefix, without a final slash. */
  readonly base: string;
}

/**
 * Splits the URL of a part, which is absolute or only a path. A path without a host may name the account. An absolute URL may
 * have any host that names the account, because clients send the public host.
 *
 * Errors: InvalidInput for another account, and for a URL of which neither host nor path names an account.
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

const noQuery = new Query('');

/** Splits the URLs of the parts of one batch. Parts that address entities usually differ only after the last slash. */
export class PartUrls {
  readonly #outer: OuterAddress;
  /** The last valid URL of an entity, up to its last slash. */
  #start: string | undefined;

  constructor(outer: OuterAddress) {
    this.#outer = outer;
  }

  /** Splits a URL as `splitPartUrl` does, and with its errors. */
  split(url: string): PartAddress {
    const start = isPlainEntity(url) ? url.slice(0, url.lastIndexOf('/') + 1) : undefined;
    if (start !== undefined && start === this.#start) return { path: url.slice(start.length), query: noQuery };
    const address = splitPartUrl(url, this.#outer);
    this.#start = start;
    return address;
  }
}

/** Returns whether a URL ends with the key of an entity. The text before its last slash then decides host and account. */
function isPlainEntity(url: string): boolean {
  return url.endsWith(')') && url.includes('/') && !url.includes('?');
}

/** Returns whether a host can belong to the account: its first label is the account, or the path names the account. */
function isHostOf(account: string, host: string, ownHost: string, isNamed: boolean): boolean {
  const label = /^[^.:]*/.exec(host)?.[0];
  const name = lowerAscii(account);
  if (host === ownHost || label === name || label === `${name}-secondary`) return true;
  // A host of this form names another account, whatever the path is.
  return isNamed && !/^[^.:]+\.table\./.test(host);
}

function refused(): TableError {
  return new TableError('InvalidInput');
}
