import type { IncomingMessage } from 'node:http';
import { TableError } from '../protocol/errors.js';
import { headersOf } from '../protocol/header-fields.js';
import { lowerAscii } from '../protocol/names.js';
import type { CorsRule } from '../protocol/service-properties.js';
import type { PreflightAnswer } from './service-answer.js';

/**
 * Returns whether the answer to a request may depend on the rules of its account. Without an Origin, only the answers to
 * reads do. Source: operations 9.2.
 */
export function dependsOnRules(request: IncomingMessage): boolean {
  const method = request.method ?? '';
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' || headersOf(request)['origin'] !== undefined;
}

/**
 * Returns the CORS headers on the answer to an actual request, as flat pairs. They do not decide whether it is answered. A
 * rejected preflight request has none.
 * `sent` has the names of the headers that the answer has anyway, in the order in which the service lists them.
 *
 * Source: operations 9.2.
 */
export function corsHeaders(request: IncomingMessage, rules: readonly CorsRule[], sent: readonly string[]): string[] {
  const method = request.method ?? '';
  if (rules.length === 0 || method === 'OPTIONS' || !dependsOnRules(request)) return [];
  const isRead = method === 'GET' || method === 'HEAD';
  const origin = headersOf(request)['origin'];
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
export function answerPreflight(request: IncomingMessage, rules: readonly CorsRule[]): PreflightAnswer {
  const origin = headersOf(request)['origin'];
  const method = headersOf(request)['access-control-request-method'];
  if (!origin || !method) {
    throw new TableError('InvalidHeaderValue', { variant: { name: 'preflight-header-missing' } });
  }
  const rule = rules.find((candidate) => matches(candidate, origin, method.trim().toUpperCase()));
  const headers = headersOf(request)['access-control-request-headers'] ?? '';
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
