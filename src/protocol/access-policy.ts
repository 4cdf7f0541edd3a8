import { readDateTime } from './date-time.js';

/**
 * A stored access policy: what it names, and what it supplies to a shared access signature that refers to it.
 * Instants are UTC text with all seven fraction digits, as the service returns them.
 */
export interface AccessPolicy {
  readonly id: string;
  readonly start?: string;
  readonly expiry?: string;
  readonly permission?: string;
}

/** Most policies of one table. Source: recordings, six are refused. */
export const accessPoliciesMax = 5;

/** Length of a policy's id. Unit: characters. Source: operations 8.5. */
export const accessPolicyIdLengthMax = 64;

/**
 * Reads an instant of a policy and writes it as the service does, or says undefined where it is none. More than seven
 * fraction digits are none. Source: recordings-facts 7.
 */
export function readPolicyInstant(text: string): string | undefined {
  if (/\.\d{8}/.test(text)) return undefined;
  const reading = readDateTime(text);
  if (!('text' in reading)) return undefined;
  const [whole = '', fraction = ''] = reading.text.slice(0, -1).split('.');
  return `${whole}.${fraction.padEnd(7, '0')}Z`;
}
