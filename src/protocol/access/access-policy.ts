import { accessPoliciesMax, accessPolicyIdLengthMax } from '../limits.js';
import { readDateTime } from '../values/date-time.js';

/**
 * A stored access policy: its id, and the fields it supplies to the shared access signatures that name it.
 * Times are UTC text with all seven fraction digits, as the service returns them.
 */
export interface AccessPolicy {
  readonly id: string;
  readonly start?: string;
  readonly expiry?: string;
  readonly permission?: string;
}

/**
 * Reads a time of a policy and returns it as the service writes it. Returns undefined if the text is not a date and
 * time or has more than seven fraction digits. Source: recordings-facts 7.
 */
export function readPolicyInstant(text: string): string | undefined {
  if (/\.\d{8}/.test(text)) return undefined;
  const reading = readDateTime(text);
  if (!('text' in reading)) return undefined;
  const [whole = '', fraction = ''] = reading.text.slice(0, -1).split('.');
  return `${whole}.${fraction.padEnd(7, '0')}Z`;
}

/** A policy with its fields as sent. An empty field counts as absent. */
export type SentPolicy = { readonly [Field in keyof AccessPolicy]?: string | undefined };

/**
 * Reads the stored access policies of a table. Returns undefined if one has an invalid field, if two have the same id, or
 * if there are too many. Source: operations 8.5.
 */
export function readPolicies(sent: readonly SentPolicy[]): readonly AccessPolicy[] | undefined {
  if (sent.length > accessPoliciesMax) return undefined;
  const policies = sent.map(readPolicy).filter((policy) => policy !== undefined);
  const ids = new Set(policies.map(({ id }) => id));
  return ids.size === sent.length ? policies : undefined;
}

function readPolicy({ id, start, expiry, permission }: SentPolicy): AccessPolicy | undefined {
  if (!id || id.length > accessPolicyIdLengthMax) return undefined;
  if (permission && !/^r?a?u?d?$/.test(permission)) return undefined;
  const [from, to] = [start, expiry].map((text) => (text ? readPolicyInstant(text) : ''));
  if (from === undefined || to === undefined) return undefined;
  return { id, ...(from && { start: from }), ...(to && { expiry: to }), ...(permission && { permission }) };
}
