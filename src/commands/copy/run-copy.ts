import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { ConfigError, escapeText, shownValue } from '../../config.js';
import { type CopyReport, type CopyWish, copyModes, type Verdict } from '../../copy/contract.js';
import { copyTablesBetween } from '../../copy/copy.js';
import { copyId } from '../../copy/copy-state.js';
import { CopyFault } from '../../copy/ends/end.js';
import { nameOfEnd, readEnd } from '../../copy/ends/read-end.js';
import { Progress } from '../../copy/progress.js';
import { counted } from '../../verbs/fields.js';
import { boundOldGeneration, boundYoungGeneration } from '../bound-heap.js';
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
  boundYoungGeneration();
  boundOldGeneration();
  const stop = new AbortController();
  const interrupt = (signal: NodeJS.Signals) => stop.abort(signal);
  for (const name of endSignals()) process.once(name, interrupt);
  answerSignals();
  let wish: CopyWish | undefined;
  let moment: Moment | undefined;
  try {
    wish = readWish(endText(from, flags, environment), endText(to, flags, environment), flags, environment);
    const nameOfSource = nameOfEnd(readEnd(wish.from, environment));
    if (from === '-') moment = await takeMoment(nameOfSource.replace(/^.*\//, ''), environment, printError);
    const report = await copyTablesBetween(
      { ...wish, from: moment?.connectionString ?? wish.from },
      {
        ...{ nameOfSource, environment, signal: stop.signal, serve: placeServer(environment) },
        progress: new Progress(showProgress, process.stderr.isTTY === true),
      },
    );
    if (flags['json'] === true) print(JSON.stringify(report));
    else for (const line of reportLines(report)) print(escapeText(line));
    const isDifferent = report.tables.some(({ verified }) => verified === 'different');
    return report.rejectedRows > 0 || isDifferent || report.unusedMasks.length > 0 ? 1 : 0;
  } catch (error) {
    const state = wish?.state ?? '';
    const again = existsSync(state) ? ` Run the same command again to continue (${state}).` : '';
    if (stop.signal.aborted) {
      printError(`The copy was interrupted.${again}`);
      return 128 + constants.signals[stop.signal.reason as NodeJS.Signals];
    }
    if (!(error instanceof CopyFault)) throw error;
    throw new ConfigError(`${error.message}${again}`);
  } finally {
    await moment?.end();
    for (const name of endSignals()) process.off(name, interrupt);
  }
}

/** Returns the text of an end that names a variable or the running server. */
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
  const number = (name: string, form = /^[1-9]\d{0,8}$/) => {
    const value = text(name)?.replace(/%$/, '') ?? '';
    if (form.test(value)) return Number(value);
    throw new ConfigError(`--${name} cannot be '${shownValue(value)}'.`);
  };
  const mode = copyModes.find((one) => one === text('mode'));
  if (!mode)
    throw new ConfigError(`--mode cannot be '${shownValue(text('mode') ?? '')}'. Use one of: ${copyModes.join(', ')}.`);
  return {
    ...{ from, to, mode, tables: names('table'), omit: names('omit'), mask: names('mask') },
    ...{ account: text('account'), filter: text('filter'), select: flags['select'] as CopyWish['select'] },
    ...{ settings: flags['settings'] === true, compare: flags['compare'] === true },
    ...{ dryRun: flags['dryRun'] === true, verify: flags['noVerify'] !== true },
    transfers: number('transfers'),
    rename: new Map(names('rename').map(readRename)),
    maskKey: environment['TABULARIUM_MASK_KEY'] || undefined,
    limit: text('limit') === undefined ? Number.POSITIVE_INFINITY : number('limit'),
    sample: number('sample', /^(?!0+(?:\.0+)?$)(?:100|\d{1,2}(?:\.\d+)?)$/) / 100,
    // A signature may change while a copy is interrupted, so the name depends only on the addresses.
    state:
      text('state') ?? `tabularium-copy-${copyId([from, to].map((one) => nameOfEnd(readEnd(one, environment))))}.json`,
  };
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
  const keysOf = ({ table, partitionKey, rowKey }: CopyReport['different'][number] | CopyReport['rejected'][number]) =>
    `${table} ('${partitionKey}', '${rowKey}')`;
  const more = (count: number, what: string) =>
    count > printedMax ? [`… ${count} ${what} in all; --json lists up to 1000`] : [];
  return [
    ...tables.map(({ table, read, written, same, skipped, rejected, verified }) => {
      const others = Object.entries({ 'already there': same, skipped, rejected });
      const parts = others.filter(([, count]) => count > 0).map(([name, count]) => `, ${count} ${name}`);
      return `${table}: ${read} read, ${written} written${parts.join('')}, ${verdicts[verified]}`;
    }),
    ...rejected.slice(0, printedMax).map((one) => `${keysOf(one)}: ${one.code}: ${one.message}`),
    ...more(rejectedRows, 'rejected entities'),
    ...different.slice(0, printedMax).map((one) => `${keysOf(one)}: ${one.kind}`),
    ...more(differences, 'differences'),
    ...notes,
    `${counted(rows, 'entity', 'entities')} in ${counted(tables.length, 'table')}, ${(ms / 1000).toFixed(1)} s`,
  ];
}
