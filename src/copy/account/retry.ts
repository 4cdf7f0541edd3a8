/** An answer of a service. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Statuses after which a request is sent again. */
export const retriedStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/** Statuses that ask for fewer requests. */
export const busyStatuses: ReadonlySet<number> = new Set([429, 503]);

/** Longest pause between two tries. Unit: milliseconds. (Our choice.) */
const pauseMsMax = 30_000;

/** Returns the pause after a try, doubled with each one, with a random part. Unit: milliseconds. */
export function backOff(attempt: number, random: () => number = Math.random): number {
  return Math.min(pauseMsMax, 100 * 2 ** attempt) * (0.5 + random() / 2);
}

/** Returns the pause that an answer asks for, or else an exponential one. Unit: milliseconds. */
export function pauseAfter({ headers }: Pick<Answer, 'headers'>, attempt: number): number {
  const ms = Number(headers['x-ms-retry-after-ms'] ?? Number.NaN);
  if (ms >= 0) return Math.min(pauseMsMax, ms) + backOff(0);
  const text = headers['retry-after'];
  if (typeof text !== 'string') return backOff(attempt);
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  const askedMs = Number.isNaN(seconds) ? 0 : Math.max(0, seconds * 1000);
  return Math.min(pauseMsMax, askedMs) + backOff(Math.min(attempt, 3));
}

/** Returns the error code in an answer; empty if it has none. */
export function codeOf(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? /<(?:m:)?code>(\w+)/i.exec(text)?.[1] ?? '';
}

/** Returns the first line of the message in an answer; empty if it has none. */
export function messageOf(text: string): string {
  const json = /"value":("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  const message = json === undefined ? /<(?:m:)?message[^>]*>([^<]*)/i.exec(text)?.[1] : (JSON.parse(json) as string);
  return (message ?? '').split('\n')[0] ?? '';
}
