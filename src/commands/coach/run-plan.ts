import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { type Command, Option } from 'commander';
import { ConfigError, escapeText, shownValue } from '../../config.js';
import type { Accepted } from '../../insight/coach/budget/accepted.js';
import { isLimitName, type Limit, limitWords } from '../../insight/coach/budget/budget.js';
import type { RunRules } from '../../insight/coach/report/coach-report.js';
import { causeNames, ruleNames } from '../../insight/rules/rules.js';
import { didYouMean } from '../../nearest-name.js';
import { checked, faultOfFields, name, optional, text } from '../../schema.js';
import type { Config } from '../../settings/config.js';
import { readTextFile } from '../../user-files/read-text-file.js';

/** The options of `tabularium exec` that judge a run. */
export interface RunFlags {
  readonly budget?: string;
  readonly report?: readonly string[];
  readonly accept?: string;
  readonly acceptAll?: true;
  /** The identity that the command runs as. */
  readonly as?: string;
}

/** The formats of a report, which are the extensions of its file. */
export const reportFormats = ['md', 'json'] as const;

/** Markdown or JSON. */
export type ReportFormat = (typeof reportFormats)[number];

/** The output file of a report. */
export interface ReportPlace {
  readonly file: string;
  readonly format: ReportFormat;
}

/** The work at the end of a run. */
export interface RunPlan extends RunRules {
  readonly reports: readonly ReportPlace[];
  /** The file of accepted findings. */
  readonly acceptFile: string;
  /** Whether to add the findings of the run to it. */
  readonly acceptsAll: boolean;
}

/** Adds the options that judge a run. */
export function addRunOptions(command: Command): Command {
  return command
    .option('--budget <limits>', 'exit with 3 if the requests cost more, as warn=0,read=20000,density>=0.1')
    .addOption(reportOption())
    .option('--accept <file>', `findings to accept, with reasons (default ${acceptedFile}, if it exists)`)
    .option('--acceptAll', 'add the findings of this run to that file');
}

/** Reads the plan of a run before anything starts; undefined without one of its options. Errors: ConfigError with the invalid option. */
export function readRunPlan(flags: RunFlags, { journal }: Pick<Config, 'journal'>): RunPlan | undefined {
  const { budget, report = [], accept, acceptAll = false } = flags;
  const isNeeded = [budget, report[0], accept].some((value) => value !== undefined) || acceptAll;
  if (!isNeeded) return undefined;
  if (journal === 0) {
    throw new ConfigError('A budget or a report needs the coach, which --journal 0 turns off. Remove one of them.');
  }
  if (accept !== undefined && !acceptAll && !existsSync(accept)) {
    throw new ConfigError(`The file ${shownValue(accept)} does not exist. Make it with --acceptAll.`);
  }
  return {
    limits: budget === undefined ? [] : readBudget(budget),
    accepted: accept !== undefined && !existsSync(accept) ? [] : readAccepted(accept),
    acceptFile: accept ?? acceptedFile,
    acceptsAll: acceptAll,
    reports: report.map(placeOfReport),
  };
}

/** Creates the option for the files of reports. */
export function reportOption(): Option {
  const help = `write the coach's findings; .${reportFormats.join(', .')}; may be repeated`;
  return new Option('--report <file>', help).argParser((file: string, files: readonly string[] = []) => [
    ...files,
    file,
  ]);
}

/** Returns the file of a report with its format. Errors: ConfigError for an unknown extension. */
export function placeOfReport(file: string): ReportPlace {
  const ending = extname(file).slice(1);
  const format = reportFormats.find((one) => one === ending);
  if (format) return { file, format };
  throw new ConfigError(
    `--report: the format of '${shownValue(file)}' is not known. Let its name end in .${reportFormats.join(', .')}.`,
  );
}

/**
 * Parses a budget of comma-separated limits: `name=number` for a maximum, `name>=number` for a minimum.
 *
 * Errors: ConfigError with the invalid limit and the fix.
 */
export function readBudget(text: string): readonly Limit[] {
  const limits = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(readLimit);
  if (limits.length === 0) throw new ConfigError('--budget is empty. Write limits, as warn=0,read=20000.');
  for (const [at, { name, bound }] of limits.entries()) {
    const isTwice = limits.findIndex((other) => other.name === name && other.bound === bound) !== at;
    if (isTwice) throw new ConfigError(`--budget limits ${name} twice. Keep one of the two.`);
  }
  return limits;
}

function readLimit(text: string): Limit {
  const [, name = '', sign, number] = /^([^<>=\s]+)\s*(=|<=|>=)\s*(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (sign === undefined) {
    throw new ConfigError(
      `--budget: '${shownValue(text)}' is not a limit. Write a name and a number, as warn=0 or density>=0.1.`,
    );
  }
  if (!isLimitName(name)) {
    const words = [...limitWords.keys()];
    const hint = didYouMean(name, [...words, ...causeNames], `The names are: ${words.join(', ')}.`);
    throw new ConfigError(`--budget: there is nothing named '${shownValue(name)}'. ${hint}`);
  }
  return { name, bound: sign === '>=' ? 'least' : 'most', allowed: Number(number) };
}

/** The default file of accepted findings. */
export const acceptedFile = 'tabularium.coach.json';

const ruleNamesKnown: readonly string[] = [...ruleNames, ...causeNames];

const entryFields = {
  rule: checked('rule', (rule) => ruleNamesKnown.includes(rule), {
    wanted: 'a rule of the coach, as table-scan/unfiltered',
  }),
  account: optional(text('account')),
  table: optional(text('table')),
  shape: optional(text('shape of the request')),
  why: name('reason', { example: 'three rows, read once a day' }),
};

const wanted = 'an object with a list, as {"accept":[]}';

/**
 * Reads accepted findings: `{"accept":[{"rule":"table-scan/unfiltered","table":"Countries","why":"…"}]}`. Without a path, reads the
 * default file if it exists. Errors: ConfigError with the invalid entry. The reason, `why`, is required.
 */
export function readAccepted(path: string | undefined): readonly Accepted[] {
  const file = path ?? acceptedFile;
  if (path === undefined && !existsSync(file)) return [];
  const content = readTextFile({ path: file, subject: `The file ${file}`, wanted: 'a JSON file of accepted findings' });
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    throw new ConfigError(`${file} is not JSON. Write ${wanted}.`);
  }
  const list = typeof value === 'object' && value !== null && 'accept' in value ? value.accept : undefined;
  if (!Array.isArray(list)) throw new ConfigError(`${file} has no list 'accept'. Write ${wanted}.`);
  for (const [at, entry] of list.entries()) {
    const where = `${file}, accept[${at}]`;
    if (typeof entry !== 'object' || entry === null) throw new ConfigError(`${where} is not an object.`);
    const fault = faultOfFields(entryFields, entry, (field) => `'${field}'`);
    if (fault !== undefined) throw new ConfigError(`${where}: ${escapeText(fault)}`);
  }
  return list;
}
