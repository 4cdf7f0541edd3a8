import { parseResource, withoutFinalSlashes } from '../../address/parse-address.js';
import { Query } from '../../address/query.js';
import { hostOf, targetOf } from '../../address/request-target.js';
import type { Resource } from '../../address/resource.js';
import type { RequestRules } from '../../dialects/request-rules.js';
import { TableError } from '../../protocol/errors.js';
import { lowerAscii } from '../../protocol/names.js';
import type { BatchPart } from './read-batch.js';

/** The address of a part of a batch: path and query after the account, as sent. */
interface PartAddress {
  readonly path: string;
  readonly query: Query;
}

/** The address of the batch itself. Every part must have the same account. */
interface OuterAddress {
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
    throw otherAccount(url);
  if (path.includes('/')) throw otherAccount(url);
  return { path, query: new Query(queryAt < 0 ? '' : target.slice(queryAt + 1)) };
}

type EntityResource = Extract<Resource, { readonly kind: 'entity' }>;

interface PartTarget {
  readonly resource: Resource;
  readonly query: Query;
}

/**
 * The URL of an entity without a query and without characters in its keys that a path encodes or rejects. The part before the
 * row key does not depend on it.
 */
const plainEntityUrl = /^([^?%\\]*\(PartitionKey='[^?%\\'/]*',RowKey=')[^?%\\'/]*'\)$/;

/** The rest of such a URL, from its row key on. */
const plainRowKey = /^[^?%\\'/]*'\)$/;

/** Reads the URLs of the parts of one batch. Parts that address entities usually differ only in their row keys. */
export class PartAddresses {
  readonly #outer: OuterAddress;
  readonly #rules: Pick<RequestRules, 'readNestedPath'>;
  /** The last URL, up to its row key, and its entity, if it is a plain entity URL. */
  #last: { readonly start: string; readonly entity: EntityResource } | undefined;

  /** `outer` is the address of the batch, and `rules` how its service reads paths of several segments. */
  constructor(outer: OuterAddress, rules: Pick<RequestRules, 'readNestedPath'>) {
    this.#outer = outer;
    this.#rules = rules;
  }

  /** Returns the resource of a part. Errors: those of `splitPartUrl`, `parseResource` and `readNestedPath`. */
  read({ url, method }: Pick<BatchPart, 'url' | 'method'>): PartTarget {
    const alike = this.#readAlike(url);
    if (alike) return { resource: alike, query: Query.empty };
    const { path, query } = splitPartUrl(url, this.#outer);
    const parsed = parseResource(path, true);
    const { account } = this.#outer;
    const resource = parsed.kind === 'nested' ? this.#rules.readNestedPath(parsed, { account, method }) : parsed;
    if (resource.kind === 'unserved') throw resource.fault;
    const [, start] = resource.kind === 'entity' ? (plainEntityUrl.exec(url) ?? []) : [];
    this.#last = start !== undefined && resource.kind === 'entity' ? { start, entity: resource } : undefined;
    return { resource, query };
  }

  /** Reads a URL that differs from the previous one only in its row key; undefined if it differs in more. */
  #readAlike(url: string): EntityResource | undefined {
    if (!this.#last) return undefined;
    const { start, entity } = this.#last;
    // For long texts, `startsWith` takes several times as long.
    if (url.slice(0, start.length) !== start) return undefined;
    const rest = url.slice(start.length);
    if (!plainRowKey.test(rest)) return undefined;
    const key = { partitionKey: entity.key.partitionKey, rowKey: rest.slice(0, -2) };
    return { kind: 'entity', table: entity.table, key };
  }
}

/** Returns whether a host can belong to the account: its first label is the account, or the path names the account. */
function isHostOf(account: string, host: string, ownHost: string, isNamed: boolean): boolean {
  const label = /^[^.:]*/.exec(host)?.[0];
  const name = lowerAscii(account);
  if (host === ownHost || label === name || label === `${name}-secondary`) return true;
  // A host of this form names another account, whatever the path is.
  return isNamed && !/^[^.:]+\.table\./.test(host);
}

/** Returns the error of a URL that does not name a resource of the account. */
function otherAccount(url: string): TableError {
  return new TableError('InvalidInput', { evidence: () => ({ check: 'batch', fault: 'account', value: url }) });
}
