import { ConfigError } from '../../config.js';
import { readDateTime } from '../../protocol/values/date-time.js';
import type { SasFlags } from './sas-options.js';

/** The fields of a signature for its start and its expiry. An absent field is omitted. */
export interface SasWindow {
  readonly st?: string;
  readonly se?: string;
}

/**
 * Reads the start and the expiry of a signature. Without `--expiry` it is valid for `--hours`, one by default, from its
 * start or from `now`, whichever is later. With a stored policy and without either option, it has no expiry of its own.
 * `now` is in milliseconds since 1970.
 *
 * Errors: ConfigError for a text that is not an instant, an expiry in the past, and a start that is not before the end.
 */
export function readWindow({ start, expiry, hours, policy }: SasFlags, now: number): SasWindow {
  const from = start === undefined ? now : Math.max(now, readInstant('--start', start));
  const lasts = hours ?? (policy === undefined ? '1' : undefined);
  const end = expiry ?? (lasts === undefined ? undefined : hoursAfter(from, lasts));
  if (end !== undefined) {
    const until = readInstant('--expiry', end);
    if (until <= now) throw new ConfigError(`--expiry: '${end}' is in the past. Choose a later instant.`);
    if (start !== undefined && readInstant('--start', start) >= until) {
      throw new ConfigError(`--start: '${start}' is not before the end, which is ${end}.`);
    }
  }
  return { ...(start !== undefined && { st: start }), ...(end !== undefined && { se: end }) };
}

function hoursAfter(from: number, hours: string): string {
  const end = new Date(from + Number(hours) * 3_600_000);
  // After the year 9999, toISOString writes a form that servers cannot read.
  if (!(end.getTime() > from && end.getUTCFullYear() <= 9999)) {
    throw new ConfigError(`--hours ${hours} is not a valid number of hours. Use a positive number.`);
  }
  return end.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Reads an instant. Unit: milliseconds since 1970. Errors: ConfigError with the name of the option. */
function readInstant(option: string, text: string): number {
  const reading = readDateTime(text);
  if ('text' in reading) return Date.parse(reading.text.replace(/(\.\d{3})\d+Z$/, '$1Z'));
  throw new ConfigError(`${option}: '${text}' is not an instant. Write it as 2026-11-21T10:00:00Z.`);
}
