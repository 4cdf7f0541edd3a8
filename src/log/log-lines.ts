/** A destination for log lines. */
export interface LineSink {
  write(line: string): void;
}

const levelNames: ReadonlyMap<number, string> = new Map([
  [20, 'debug'],
  [30, 'info'],
  [40, 'warning'],
  [50, 'error'],
  [60, 'fatal'],
]);

/** Fields that the logger adds to every line, and fields with a format of their own. */
const shownElsewhere = ['level', 'time', 'msg', 'err', 'requestId', 'pid', 'hostname'];

interface LogEntry {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly requestId?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
  readonly error?: string;
  readonly why?: string;
  readonly ms?: number;
  readonly err?: { readonly stack?: string; readonly message?: string };
}

/**
 * Rewrites the logger's JSON as lines for people, with the reason for a rejection at the end:
 * `08:31:02.123 404 GET /devstoreaccount1/Nope TableNotFound 1.2 ms 3f2a…`.
 */
export function humanLines(sink: LineSink, colored: boolean): LineSink {
  return {
    write(line) {
      sink.write(`${writeEntry(JSON.parse(line) as LogEntry, colored)}\n`);
    },
  };
}

function writeEntry(entry: LogEntry, colored: boolean): string {
  const { time, status, method, path, error, why, ms, requestId } = entry;
  if (entry.msg !== 'request' || status === undefined) return `${clockTime(time)} ${writeMessage(entry, colored)}`;
  const code = error === undefined ? '' : ` ${error}`;
  const reason = why === undefined ? '' : ` why: ${visible(why)}`;
  const rated = paint(String(status), status < 400 ? 32 : status < 500 ? 33 : 31, colored);
  return `${clockTime(time)} ${rated} ${method} ${visible(path ?? '')}${code} ${ms} ms ${requestId}${reason}`;
}

function writeMessage(entry: LogEntry, colored: boolean): string {
  const { level, msg = '', requestId, err } = entry;
  const name = paint(levelNames.get(level) ?? 'trace', level >= 50 ? 31 : level === 40 ? 33 : 36, colored);
  const more = Object.entries(entry)
    .filter(([key]) => !shownElsewhere.includes(key))
    .map(([key, value]) => ` ${key}=${visible(typeof value === 'string' ? value : JSON.stringify(value))}`);
  const fault = err?.stack ?? err?.message;
  const trace = fault === undefined ? '' : fault.split('\n').map((line) => `\n    ${visible(line.trim())}`);
  return `${name} ${visible(msg)}${more.join('')}${requestId === undefined ? '' : ` ${requestId}`}${[...trace].join('')}`;
}

/** Returns the local time of day. */
function clockTime(milliseconds: number): string {
  const at = new Date(milliseconds);
  const two = (value: number) => (value < 10 ? `0${value}` : String(value));
  const fraction = String(at.getMilliseconds()).padStart(3, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${fraction}`;
}

/** Replaces control characters, because a terminal would execute them or reverse the line. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd');
}

function paint(text: string, color: number, colored: boolean): string {
  return colored ? `\u001b[${color}m${text}\u001b[39m` : text;
}
