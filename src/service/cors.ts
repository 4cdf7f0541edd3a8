import { unknownAccount } from '../address/parse-address.js';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import type { CorsRule } from '../protocol/service-properties.js';
import type { Eventual } from '../store/store.js';
import { StoreUnavailable } from '../store/store-unavailable.js';
import type { PreflightAnswer } from './answers.js';
import type { Service } from './service.js';
import type { Addressed, Received } from './stages.js';

/** The rules of an account that has none, or whose rules do not matter. */
export const noRules: readonly CorsRule[] = [];

/**
 * Reads the rules of an account if the answer to a request depends on them. Only the headers of the answer need them, so an
 * engine on a network reads them while the operation runs: they are then a promise. The settings of an account that another
 * server may remove are always read, to find out whether the account still exists.
 */
export function readRules(service: Service, { received, address }: Addressed): Eventual<readonly CorsRule[]> {
  const { dialect, store, accounts, findAccounts } = service;
  const mayEnd = findAccounts !== undefined && accounts.isAdded(address.account);
  const hasRules = dialect.requests.hasCors && dependsOnRules(received);
  if (!mayEnd && !hasRules) return noRules;
  const settings = store.readServiceProperties(address.account);
  if (!(settings instanceof Promise)) return hasRules ? settings.cors : noRules;
  const rules = settings.then(({ cors }) => (hasRules ? cors : noRules));
  // `settleRules` awaits it after the operation.
  rules.catch(() => {});
  return rules;
}

/**
 * Returns the rules after the operation has ended. Errors: ResourceNotFound if another server has removed the account, which
 * precedes any other fault; those of the store, except a lost database: only the answer tells whether the operation was done.
 */
export async function settleRules(
  { names }: Service,
  { address: { account } }: Addressed,
  rules: Promise<readonly CorsRule[]>,
): Promise<readonly CorsRule[]> {
  let known = noRules;
  try {
    known = await rules;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
  if (!names.has(account)) throw unknownAccount(names);
  return known;
}

/**
 * Returns whether the answer to a request may depend on the rules of its account. Without an Origin, only the answers to
 * reads do. Source: operations 9.2.
 */
function dependsOnRules({ method, headers }: Received): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || headers['origin'] !== undefined;
}

/**
 * Returns the CORS headers on the answer to an actual request, as flat pairs. They do not decide whether it is answered. A
 * rejected preflight request has none. `sent` names the other headers of the answer, in the service's order.
 *
 * Source: operations 9.2.
 */
export function corsHeaders(received: Received, rules: readonly CorsRule[], sent: readonly string[]): string[] {
  const { method, headers: asked } = received;
  if (rules.length === 0 || method === 'OPTIONS' || !dependsOnRules(received)) return [];
  const isRead = method === 'GET' || method === 'HEAD';
  const origin = asked['origin'];
  const rule = rules.find((candidate) => matches(candidate, origin ?? '*', method));
  const any = rule !== undefined && allowsAll(rule);
  const headers: string[] = [];
  if (rule) {
    headers.push('Access-Control-Allow-Origin', any ? '*' : (origin ?? '*'));
    const exposed = sent.filter((name) => isListed(rule.exposedHeaders, name));
    if (exposed.length > 0) headers.push('Access-Control-Expose-Headers', exposed.join(','));
    if (!any) headers.push('Access-Control-Allow-Credentials', 'true');
  }
  if (isRead && !any) headers.push('Vary', 'Origin');
  return headers;
}

/**
 * Returns the answer to a preflight request. The first rule that matches origin and verb decides. It must allow every
 * header that the request lists, even if a later rule would.
 *
 * Errors: InvalidHeaderValue without an origin or a verb, CorsPreflightFailure. Source: operations 9.1.
 */
export function answerPreflight({ headers: sent }: Received, rules: readonly CorsRule[]): PreflightAnswer {
  const origin = sent['origin'];
  const method = sent['access-control-request-method'];
  if (!origin || !method) {
    throw new TableError('InvalidHeaderValue', { variant: { name: 'preflight-header-missing' } });
  }
  const rule = rules.find((candidate) => matches(candidate, origin, method.trim().toUpperCase()));
  const headers = sent['access-control-request-headers'] ?? '';
  if (!rule || !allowsHeaders(rule, headers)) {
    throw new TableError('CorsPreflightFailure');
  }
  const { maxAgeSeconds } = rule;
  return { kind: 'preflight', origin: allowsAll(rule) ? '*' : origin, method, headers, maxAgeSeconds };
}

/** Returns the headers that answer a preflight request, as flat pairs. Source: operations 9.1. */
export function preflightHeaders({ origin, method, headers: names, maxAgeSeconds }: PreflightAnswer): string[] {
  const headers = ['Access-Control-Allow-Origin', origin, 'Access-Control-Allow-Methods', method];
  if (names !== '') headers.push('Access-Control-Allow-Headers', names);
  headers.push('Access-Control-Max-Age', String(maxAgeSeconds));
  if (origin !== '*') headers.push('Access-Control-Allow-Credentials', 'true');
  return headers;
}

function allowsAll({ origins }: CorsRule): boolean {
  return origins.includes('*');
}

/** Returns whether a rule matches. Origins are compared letter for letter. */
function matches(rule: CorsRule, origin: string, method: string): boolean {
  return rule.methods.includes(method) && (allowsAll(rule) || rule.origins.includes(origin));
}

/** Whether a rule allows every name of a list. The list may have 60,000 names, and the rule 66. */
function allowsHeaders({ allowedHeaders }: CorsRule, list: string): boolean {
  const known = new Set<string>();
  return list.split(',').every((one) => {
    const name = one.trim();
    if (name === '' || known.has(name)) return true;
    known.add(name);
    return isListed(allowedHeaders, name);
  });
}

/** Returns whether a list has a header name, without regard to case. A name in the list may end in a star. */
function isListed(names: readonly string[], name: string): boolean {
  const asked = lowerAscii(name);
  return names.some((listed) => {
    const own = lowerAscii(listed);
    return own.endsWith('*') ? asked.startsWith(own.slice(0, -1)) : asked === own;
  });
}
