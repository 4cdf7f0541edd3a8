import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { ConfigError, escapeText, shownValue } from '../../config.js';
import type { CopyReport, CopyWish, Verdict } from '../../copy/contract.js';
import { copyTablesBetween } from '../../copy/copy.js';
import { copyId } from '../../copy/copy-state.js';
import { CopyFault, copyModes } from '../../copy/ends/end.js';
import { nameOfEnd, readEnd } from '../../copy/ends/read-end.js';
import { Progress } from '../../copy/progress.js';
import { answerSignals, endSignals } from '../early-signals.js';
import { print, printError, showProgress } from '../output.js';
import { type Moment, ownConnectionString, takeMoment } from './own-server.js';
import { placeServer } from './serve-place.js';

/** Most rows in a list that is printed. */
const printedMax = 20;

/** The options of the command line. */
export type CopyFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** Copies tables and prints the report. Returns the exit code. Errors: ConfigError; those of files and data. */
export async function runCopy(
  from: string,
  to: string,
  flags: CopyFlags,
  environment: NodeJS.ProcessEnv,
): Promise<number> {
  const stop = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => stop.abort(new Interruption(signal));
  for (const name of endSignals()) process.once(name, interrupt);
  answerSignals();
  const wish = readWish(endText(from, flags, environment), endText(to, flags, environment), flags, environment);
  const again = `Run the same command again to continue (${wish.state}).`;
  let moment: Moment | undefined;
  try {
    const source = readEnd(wish.from, environment);
    const nameOfSource = nameOfEnd(source);
    if (from === '-') moment = await takeMoment(nameOfSource.replace(/^.*\//, ''), environment, printError);
    const progress = new Progress(showProgress, process.stderr.isTTY === true);
    const { transfers, tries } = wish;
    const serve = placeServer(environment);
    const frozen = moment ? { ...wish, from: moment.connectionString } : wish;
    const report = await copyTablesBetween(frozen, {
      nameOfSource,
      transfers,
      tries,
      environment,
      serve,
      progress,
      signal: stop.signal,
    });
    if (flags['json'] === true) print(JSON.stringify(report));
    else for (const line of reportLines(report)) print(escapeText(line));
    const isDifferent = report.tables.some(({ verified }) => verified === 'different');
    return report.rejectedRows > 0 || isDifferent ? 1 : 0;
  } catch (error) {
    if (error instanceof Interruption) {
      printError(`The copy was interrupted. ${again}`);
      return 128 + constants.signals[error.signal];
    }
    if (!(error instanceof CopyFault)) throw error;
    throw new ConfigError(existsSync(wish.state) ? `${error.message} ${again}` : error.message);
  } finally {
    await moment?.end();
    for (const name of endSignals()) process.off(name, interrupt);
  }
}

/** The end of a copy by a signal. */
class Interruption extends Error {
  readonly signal: NodeJS.Signals;

  constructor(signal: NodeJS.Signals) {
    super(`ended by ${signal}`);
    this.signal = signal;
  }
}

/** Returns the text of an end: the value of a variable, the running server, or itself. Errors: ConfigError. */
function endText(text: string, flags: CopyFlags, environment: NodeJS.ProcessEnv): string {
  if (text === '-') return ownConnectionString(flags['account'] as string | undefined, environment);
  if (!text.startsWith('$')) return text;
  const value = Object.entries(environment).find(([name]) => name === text.slice(1))?.[1];
  if (!value) throw new ConfigError(`The variable ${shownValue(text.slice(1))} is not set.`);
  return value;
}

function readWish(from: string, to: string, flags: CopyFlags, environment: NodeJS.ProcessEnv): CopyWish {
  const names = (name: string) => (flags[name] as readonly string[] | undefined) ?? [];
  const text = (name: string) => flags[name] as string | undefined;
  const count = (name: string) => readNumber(`--${name}`, text(name) ?? '', /^[1-9]\d{0,8}$/);
  const mode = copyModes.find((one) => one === text('mode'));
  if (!mode)
    throw new ConfigError(`--mode cannot be '${shownValue(text('mode') ?? '')}'. Use one of: ${copyModes.join(', ')}.`);
  const sample = text('sample')?.replace(/%$/, '');
  return {
    ...{ from, to, mode, tables: names('table'), omit: names('omit'), mask: names('mask') },
    ...{ account: text('account'), filter: text('filter'), select: flags['select'] as CopyWish['select'] },
    ...{
      settings: flags['settings'] === true,
      compare: flags['compare'] === true,
      dryRun: flags['dryRun'] === true,
      verify: flags['noVerify'] !== true,
    },
    ...{ readers: count('readers'), transfers: count('transfers'), memoryMb: count('memoryMb'), tries: count('tries') },
    rename: new Map(names('rename').map(readRename)),
    maskKey: environment['TABULARIUM_MASK_KEY'] || undefined,
    limit: text('limit') === undefined ? Number.POSITIVE_INFINITY : count('limit'),
    sample: sample === undefined ? 1 : readNumber('--sample', sample, /^(?:100|\d{1,2}(?:\.\d+)?)$/) / 100,
    // A signature may change while a copy is interrupted, so the name depends only on the addresses.
    state:
      text('state') ?? `tabularium-copy-${copyId([from, to].map((one) => nameOfEnd(readEnd(one, environment))))}.json`,
  };
}

function readNumber(flag: string, text: string, form: RegExp): number {
  if (form.test(text)) return Number(text);
  throw new ConfigError(`${flag} cannot be '${shownValue(text)}'.`);
}

function readRename(pair: string): readonly [string, string] {
  const [old = '', name = '', ...more] = pair.split('=');
  if (old === '' || name === '' || more.length > 0) throw new ConfigError('--rename needs two names, as in Old=New.');
  return [old, name];
}

const verdicts = {
  same: 'verified',
  contained: 'verified; the target has other entities, too',
  different: 'DIFFERENT',
  no: 'not verified',
} as const satisfies Record<Verdict, string>;

function reportLines(report: CopyReport): readonly string[] {
  const { tables, rejected, rejectedRows, different, differences, notes, rows, ms } = report;
  const keysOf = ({ table, partitionKey, rowKey }: { table: string; partitionKey: string; rowKey: string }) =>
    `${table} ('${partitionKey}', '${rowKey}')`;
  return [
    ...tables.map(({ table, read, written, same, skipped, rejected, verified }) => {
      const others = Object.entries({ 'already there': same, skipped, rejected });
      const parts = others.filter(([, count]) => count > 0).map(([name, count]) => `, ${count} ${name}`);
      return `${table}: ${read} read, ${written} written${parts.join('')}, ${verdicts[verified]}`;
    }),
    ...rejected.slice(0, printedMax).map((one) => `${keysOf(one)}: ${one.code}: ${one.message}`),
    ...(rejectedRows > printedMax ? [`… ${rejectedRows} rejected entities in all; --json lists up to 1000`] : []),
    ...different.slice(0, printedMax).map((one) => `${keysOf(one)}: ${one.kind}`),
    ...(differences > printedMax ? [`… ${differences} differences in all; --json lists up to 1000`] : []),
    ...notes,
    `${rows} entities in ${tables.length} tables, ${(ms / 1000).toFixed(1)} s`,
  ];
}
