import type { IncomingMessage } from 'node:http';
import { TableError } from '../protocol/errors.js';
import { lowerAscii } from '../protocol/names.js';
import type { CorsRule } from '../protocol/service-properties.js';
import { header } from './exchange.js';

/**
 * Headers for pages of other origins on the answer to an actual request, as flat pairs. They never decide whether it
 * is answered. `sent` are the names of the headers the answer has anyway, in the order the service lists them.
 *
 * Without an Origin only reads have them. Source: operations 9.2.
 */
export function corsHeaders(request: IncomingMessage, rules: readonly CorsRule[], sent: readonly string[]): string[] {
  if (rules.length === 0) return [];
  const method = request.method ?? '';
  const isRead = method === 'GET' || method === 'HEAD';
  const origin = header(request, 'origin');
  if (origin === undefined && !isRead) return [];
  const rule = rules.find((candidate) => fits(candidate, origin ?? '*', method));
  const any = rule?.origins.includes('*') ?? false;
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
 * The answer to a preflight request, as flat pairs: by the first rule that fits origin and verb, which then must allow
 * every header asked for, even if a later one would.
 *
 * Errors: InvalidHeaderValue without an origin or a verb, CorsPreflightFailure. Source: operations 9.1.
 */
export function preflightHeaders(request: IncomingMessage, rules: readonly CorsRule[]): string[] {
  const origin = header(request, 'origin');
  const method = header(request, 'access-control-request-method');
  if (!origin || !method) {
    throw new TableError('InvalidHeaderValue', { variant: { name: 'preflight-header-missing' } });
  }
  const rule = rules.find((candidate) => fits(candidate, origin, method.trim().toUpperCase()));
  const asked = header(request, 'access-control-request-headers') ?? '';
  const names = asked.split(',').flatMap((name) => name.trim() || []);
  if (!rule || !names.every((name) => isListed(rule.allowedHeaders, name))) {
    throw new TableError('CorsPreflightFailure');
  }
  const any = rule.origins.includes('*');
  const headers = ['Access-Control-Allow-Origin', any ? '*' : origin, 'Access-Control-Allow-Methods', method];
  if (asked !== '') headers.push('Access-Control-Allow-Headers', asked);
  headers.push('Access-Control-Max-Age', String(rule.maxAgeSeconds));
  if (!any) headers.push('Access-Control-Allow-Credentials', 'true');
  return headers;
}

/** Origins compare letter for letter. */
function fits(rule: CorsRule, origin: string, method: string): boolean {
  return rule.methods.includes(method) && (rule.origins.includes('*') || rule.origins.includes(origin));
}

/** Header names compare without regard to case; a name in the list may end in a star. */
function isListed(names: readonly string[], name: string): boolean {
  const asked = lowerAscii(name);
  return names.some((listed) => {
    const own = lowerAscii(listed);
    return own.endsWith('*') ? asked.startsWith(own.slice(0, -1)) : asked === own;
  });
}
