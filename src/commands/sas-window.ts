import { ConfigError } from '../config.js';
import { readDateTime } from '../protocol/date-time.js';
import type { SasFlags } from './sas-options.js';

/** When a signature begins and ends, as its fields are written; absent fields are left out. */
export interface SasWindow {
  readonly st?: string;
  readonly se?: string;
}

/**
 * Reads when a signature is valid. Without an end it lasts for some hours, one by default, counted from its start, or
 * from `now` if it began before; a stored policy may give the end instead. `now` is in milliseconds since 1970.
 *
 * Errors: ConfigError for what is not an instant, and for a time that is over or ends before it begins.
 */
export function readWindow({ start, expiry, hours, policy }: SasFlags, now: number): SasWindow {
  const from = start === undefined ? now : Math.max(now, readInstant('--start', start));
  const lasts = hours ?? (policy === undefined ? '1' : undefined);
  const end = expiry ?? (lasts === undefined ? undefined : hoursAfter(from, lasts));
  if (end !== undefined) {
    const until = readInstant('--expiry', end);
    if (until <= now) throw new ConfigError(`--expiry: '${end}' is over; choose an instant in the future.`);
    if (start !== undefined && readInstant('--start', start) >= until) {
      throw new ConfigError(`--start: '${start}' is not before the end, which is ${end}.`);
    }
  }
  return { ...(start !== undefined && { st: start }), ...(end !== undefined && { se: end }) };
}

function hoursAfter(from: number, hours: string): string {
  const end = new Date(from + Number(hours) * 3_600_000);
  // Beyond the year 9999 an instant is written in a form that no server reads.
  if (!(end.getTime() > from && end.getUTCFullYear() <= 9999)) throw new ConfigError(`--hours ${hours} is no time.`);
  return end.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Milliseconds since 1970. */
function readInstant(option: string, text: string): number {
  const reading = readDateTime(text);
  if ('text' in reading) return Date.parse(reading.text.replace(/(\.\d{3})\d+Z$/, '$1Z'));
  throw new ConfigError(`${option}: '${text}' is no instant; write it as 2026-11-21T10:00:00Z.`);
}
