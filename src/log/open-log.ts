import { pino, type StreamEntry } from 'pino';
import type { Config } from '../settings/config.js';
import { humanLines, type LineSink } from './log-lines.js';
import { LogOutput } from './log-output.js';
import type { Logger } from './logger.js';

/** The log of a server. */
export interface Log {
  readonly logger: Logger;
  /** Whether a write to the log is still in a system call. `process.exit` would wait for it. */
  readonly isHeld: boolean;
  /** Resolves when every line is written, or after a second if the reader is stuck. Log nothing after this call. */
  end(): Promise<void>;
}

/**
 * Opens the log of a server: standard output unless `silent`, and the debug file if one is set. After a write error the
 * server stops using that output and reports one line through `report`, by default to standard error.
 */
export function openLog(
  { silent, debug, log }: Pick<Config, 'silent' | 'debug' | 'log'>,
  report: (message: string) => void = writeToStandardError,
): Log {
  const outputs: LogOutput[] = [];
  const streams: StreamEntry[] = [];
  if (!silent) {
    const output = new LogOutput({ name: 'standard output', to: 1 }, report);
    outputs.push(output);
    streams.push({ level: 'info', stream: inForm(output, log) });
  }
  if (debug !== undefined) {
    const output = new LogOutput({ name: debug, to: debug }, report);
    outputs.push(output);
    streams.push({ level: 'debug', stream: output });
  }
  return {
    logger: createLogger(streams),
    get isHeld() {
      return outputs.some((output) => output.isHeld);
    },
    async end() {
      await Promise.all(outputs.map((output) => output.end()));
    },
  };
}

function createLogger(streams: StreamEntry[]): Logger {
  const [only] = streams;
  if (!only) return pino({ level: 'silent' });
  if (streams.length === 1) return pino({ level: only.level ?? 'info' }, only.stream);
  return pino({ level: 'debug' }, pino.multistream(streams));
}

function inForm(output: LogOutput, form: Config['log']): LineSink {
  // Node.js makes a pipe non-blocking when it opens `process.stdout`, so a stuck reader blocks no thread.
  const colored = process.stdout.isTTY === true && !process.env['NO_COLOR'];
  return form === 'json' ? output : humanLines(output, colored);
}

function writeToStandardError(message: string): void {
  // Standard error may be closed, too. Its errors must not end the server.
  process.stderr.once('error', () => {}).write(`${message}\n`);
}
