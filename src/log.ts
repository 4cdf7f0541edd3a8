import { once } from 'node:events';
import { type DestinationStream, type Logger, pino, type StreamEntry } from 'pino';
import type { Config } from './config.js';
import { humanLines } from './http/log-lines.js';

/** What a reader of the log may fall behind before lines are lost rather than memory. Unit: bytes. */
const logBacklogBytes = 16 * 1024 * 1024;

/** Where the server says what it does. */
export interface Log {
  readonly logger: Logger;
  /** Resolves when every line is out; none may follow. */
  end(): Promise<void>;
}

type Output = ReturnType<typeof pino.destination>;

/** Opens the log of a server: standard output, and the debug file. */
export function openLog({ silent, debug, log }: Pick<Config, 'silent' | 'debug' | 'log'>): Log {
  const outputs: Output[] = [];
  const streams: StreamEntry[] = [];
  if (!silent) {
    // Not synchronous: a terminal that is held would hold the server.
    const output = pino.destination({ dest: 1, sync: false, maxLength: logBacklogBytes });
    outputs.push(output);
    streams.push({ level: 'info', stream: inForm(output, log) });
  }
  if (debug !== undefined) {
    const output = pino.destination({ dest: debug, mkdir: true, sync: false });
    outputs.push(output);
    streams.push({ level: 'debug', stream: output });
  }
  return {
    logger: createLogger(streams),
    async end() {
      await Promise.all(outputs.map(endOutput));
    },
  };
}

function createLogger(streams: StreamEntry[]): Logger {
  const [only] = streams;
  if (!only) return pino({ level: 'silent' });
  if (streams.length === 1) return pino({ level: only.level ?? 'info' }, only.stream);
  return pino({ level: 'debug' }, pino.multistream(streams));
}

function inForm(output: Output, form: Config['log']): DestinationStream {
  const coloured = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  return form === 'json' ? output : humanLines(output, coloured);
}

async function endOutput(output: Output): Promise<void> {
  const closed = once(output, 'close');
  output.end();
  await closed;
}
