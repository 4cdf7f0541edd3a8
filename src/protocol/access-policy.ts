import { readDateTime } from './date-time.js';

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
