import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Finding } from '../../../src/insight/coach/finding.js';
import type { QueryClass } from '../../../src/insight/queries/query-classes.js';
import { nameOf } from '../../../src/insight/rules/rule.js';

/** What some requests cost: requests that a bill counts, and entities that queries and reads by keys touch. */
export interface Cost {
  readonly transactions: number;
  /** How the cloud finds the entities; several classes are joined by commas. Absent if nothing is read. */
  readonly class?: string;
  /** Entities that were read, and those of them that were returned. Absent if nothing is read. */
  readonly read?: number;
  readonly returned?: number;
  /** Size of all bodies, in both directions, rounded up. Absent in steps that are not about it. Unit: KiB. */
  readonly kib?: number;
}

/** The cost of writes, each a transaction. */
export const writes = (transactions: number): Cost => ({ transactions });

/** The cost of reading entities by their two keys. */
export const points = (count: number): Cost => ({ transactions: count, class: 'point', read: count, returned: count });

/** The cost of a query. `returned` is what the client gets of the entities that are read; `pages` is its number of answers. */
export const query = (name: QueryClass, read: number, returned = read, pages = 1): Cost => ({
  ...{ transactions: pages, class: name, read, returned },
});

/** A step of an example, and what it was measured to cost. */
export interface Step {
  readonly title: string;
  readonly cost: Cost;
}

/** The header of an example's file. */
export interface ExampleText {
  /** The name of the file, such as `log-tail`. */
  readonly name: string;
  readonly title: string;
  readonly problem: string;
  /** The table of the keys, in Markdown. */
  readonly keys: string;
  /** The paragraphs after what the program costs. */
  readonly after: readonly string[];
}

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * Reads the file of an example, given by its URL. Its header has a title, the problem, a table of the keys, when not to use it or
 * what to do instead, where it differs from the guide, and the source.
 *
 * Errors: Error for a header without one of these; only the difference may be absent.
 */
export function readExample(file: string): ExampleText {
  const path = fileURLToPath(file);
  const [, header = ''] = /^\/\*\*\n([\s\S]*?) \*\/\n/.exec(readFileSync(path, 'utf8')) ?? [];
  const [title = '', ...paragraphs] = header
    .replace(/^ \* ?/gm, '')
    .trim()
    .split('\n\n');
  const take = (...beginnings: readonly string[]) => {
    const found = paragraphs.find((paragraph) => beginnings.some((beginning) => paragraph.startsWith(beginning)));
    if (found === undefined) throw new Error(`The header of ${path} has no paragraph '${beginnings.join("' or '")}'.`);
    return emphasize(found);
  };
  take('Source:');
  return {
    name: basename(path, '.test.ts'),
    title,
    problem: take('Problem: '),
    keys: take('|'),
    after: [
      take('When not: ', 'Instead: '),
      ...paragraphs.filter((one) => one.startsWith('In the guide: ')).map(emphasize),
    ],
  };
}

/** Sets the label of a paragraph in bold. */
function emphasize(paragraph: string): string {
  return paragraph.replace(/^([\w ]+):/, '**$1.**');
}

/** Writes the section of the page about an example. */
export function writeSection(
  { name, title, problem, keys, after }: ExampleText,
  steps: readonly Step[],
  findings: readonly Finding[],
): string {
  return [
    `### ${title}`,
    `${problem}\n[The program](../test/sdk/patterns/${name}.test.ts)`,
    keys,
    writeSteps(steps),
    ...(findings.length > 0 ? [`**The coach finds.** ${findings.map(describeFinding).join(' ')}`] : []),
    ...after,
  ].join('\n\n');
}

const describeFinding = (finding: Finding) => `\`${nameOf(finding)}\` (${finding.severity}): ${finding.title}.`;

function writeSteps(steps: readonly Step[]): string {
  const hasSize = steps.some(({ cost }) => cost.kib !== undefined);
  const rowOf = (cells: readonly (string | number)[], size: string | number) =>
    `| ${[...cells, ...(hasSize ? [size] : [])].join(' | ')} |`;
  return [
    rowOf(['step', 'transactions', 'class', 'read', 'returned'], 'KiB sent'),
    rowOf(['---', '--:', '---', '--:', '--:'], '--:'),
    ...steps.map(({ title, cost: { transactions, class: name = '–', read = '–', returned = '–', kib = '–' } }) =>
      rowOf([title, transactions, name, read, returned], kib),
    ),
  ].join('\n');
}

/** Returns the section about an example as it is on the page, or undefined. */
export function sectionOnPage({ title }: ExampleText): string | undefined {
  const page = readFileSync(join(root, 'docs/patterns.md'), 'utf8');
  return page
    .split(/\n+(?=##+ )/)
    .find((section) => section.startsWith(`### ${title}\n`))
    ?.trim();
}

/** Keeps a section for `npm run write -- patterns`, in the folder that it names. */
export function keepSection({ name }: ExampleText, section: string): void {
  const folder = process.env['TABULARIUM_PATTERNS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.md`), section);
}
