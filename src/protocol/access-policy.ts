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

/**
 * Reads an instant of a policy and returns it as the service writes it. Returns undefined for a text that is not an
 * instant; more than seven fraction digits are not one. Source: recordings-facts 7.
 */
export function readPolicyInstant(text: string): string | undefined {
  if (/\.\d{8}/.test(text)) return undefined;
  const reading = readDateTime(text);
  if (!('text' in reading)) return undefined;
  const [whole = '', fraction = ''] = reading.text.slice(0, -1).split('.');
  return `${whole}.${fraction.padEnd(7, '0')}Z`;
}
