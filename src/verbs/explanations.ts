import { findingDetails, findingLine } from '../insight/coach/report/finding-lines.js';
import type { Attempt, ExplainedRequest } from '../insight/explained-request.js';
import type { JournalEntry } from '../insight/journal/journal.js';
import type { ExplainedFilter, RejectedFilter } from '../insight/why/filter/explained-filter.js';
import { lowerAscii } from '../protocol/names.js';
import { described, name, optional, text } from '../schema.js';
import { type Audience, journalOf, notInJournal, type VerbServer, verb } from './verb.js';

/** Most other accounts searched for a table. (Our choice: each costs a call to the store.) */
const accountsMax = 16;

export const why = verb({
  name: 'why',
  does: 'Explain why a request was rejected, or what it costs.',
  http: 'GET /why',
  changes: 'nothing',
  agent: { when: 'Call it first when code got an error from the table service.' },
  example: 'why',
  takes: {
    id: optional(
      name('x-ms-request-id or x-ms-client-request-id (default: the last rejected request).', {
        value: 'ID',
        example: '7c3f2f7e',
      }),
    ),
  },
  words: ['id'],
  answers: described<ExplainedRequest>(
    'ExplainedRequest',
    'Why a request was rejected, or its cost in the cloud.',
    'insight/explained-request',
  ),
  async run(server, { id }) {
    const journal = journalOf(server);
    const last = id === undefined ? journal.lastRejected() : undefined;
    const attempts = id === undefined ? (last ? [last] : []) : journal.findAttempts(id);
    const entry = attempts.findLast(({ explanation }) => explanation) ?? attempts.at(-1);
    if (!entry) throw notInJournal(id === undefined ? 'no rejected request' : `no request ${id}`, journal);
    const { explanation, requestId, status, code } = entry;
    const { judgeRequest } = await import('../insight/coach/judge-request.js');
    return {
      ...{ requestId, status, ...(code !== undefined && { code }) },
      ...(explanation ?? judgeRequest(entry, server.coach)),
      ...(code === 'TableNotFound' && (await findTable(entry, server))),
      ...(attempts.length > 1 && { attempts: attempts.map(attemptOf) }),
    };
  },
  lines: (explained, _input, { data }) => whyLines(explained, data),
});

/**
 * Formats an explanation for people: status and code, the cause, the fix, the compared values, and the findings. `data` marks the lines
 * that quote the request.
 */
export function whyLines(explained: ExplainedRequest, data: Audience['data'] = (lines) => lines): readonly string[] {
  const { status, code = '', text, advice, near, otherAccount, details = [], attempts, findings = [] } = explained;
  return [
    // A failed transaction has a status of success; only its operation has that of the error.
    status < 400 && code !== ''
      ? `${code} in a transaction, which was answered with ${status}`
      : `${status} ${code}`.trimEnd(),
    ...data([
      text,
      ...(otherAccount === undefined ? [] : [`The account ${otherAccount} has a table of this name.`]),
      ...(near === undefined ? [] : [`There is a table ${near}.`]),
    ]),
    ...(advice === undefined ? [] : [advice]),
    ...data([
      ...details.map(
        ({ name, value, holds }) =>
          `  ${holds === undefined ? ' ' : holds ? '✓' : '✗'} ${name}: ${JSON.stringify(value)}`,
      ),
      ...findings.flatMap((one) => [findingLine(one), ...findingDetails(one).map((line) => `  ${line}`)]),
    ]),
    ...(attempts
      ? [`${attempts.length} requests have this x-ms-client-request-id:`, ...attempts.map(attemptLine)]
      : []),
  ];
}

function attemptOf({ requestId, status, code }: JournalEntry): Attempt {
  return { requestId, status, ...(code !== undefined && { code }) };
}

function attemptLine({ requestId, status, code = '' }: Attempt): string {
  return `  ${`${status} ${code}`.trimEnd()}: ${requestId}`;
}

/** Explains a missing table: it exists now, another account has it, or a table has a similar name. */
async function findTable(
  { account, table }: JournalEntry,
  { tables, info }: VerbServer,
): Promise<Partial<ExplainedRequest>> {
  if (account === undefined || table === undefined) return {};
  const { nearestName } = await import('../nearest-name.js');
  const namesOf = async (one: string) => (await tables.listTables(one)).map(({ name }) => name);
  const own = await namesOf(account);
  if (own.some((name) => lowerAscii(name) === lowerAscii(table))) {
    return { text: `The table ${table} did not exist then, and exists now.`, advice: 'Send the request again.' };
  }
  const others = info.accounts().filter((one) => one !== account);
  for (const other of others.slice(0, accountsMax)) {
    if ((await namesOf(other)).some((name) => lowerAscii(name) === lowerAscii(table))) return { otherAccount: other };
  }
  const near = nearestName(table, own);
  return near === undefined ? {} : { near };
}

export const explain = verb({
  name: 'explain',
  does: 'Explain what a $filter costs in the cloud, or why it is rejected.',
  notes: 'The command needs no server.',
  // A filter may be longer than a URL.
  http: 'POST /explain',
  changes: 'nothing',
  agent: { when: 'Call it before you write a $filter into code.' },
  example: `explain "RowKey eq 'r'"`,
  isLocal: true,
  takes: {
    filter: text('The $filter. An empty one is none.', { value: 'FILTER', example: 'Size gt 1' }),
  },
  words: ['filter'],
  answers: described<ExplainedFilter>(
    'ExplainedFilter',
    'The cost of a filter in the cloud, or why the service rejects it.',
    'insight/why/filter/explained-filter',
  ),
  async run(_server, { filter }) {
    const [{ judgeFilter }, { describeError }] = await Promise.all([
      import('../insight/why/filter/judge-filter.js'),
      import('../dialects/storage/describe-error.js'),
    ]);
    return judgeFilter(filter, describeError);
  },
  lines(judgment, { filter }) {
    const lines = judgment.isRejected ? rejectionLines(filter, judgment) : [`${judgment.class}: ${judgment.text}`];
    return judgment.advice === undefined ? lines : [...lines, judgment.advice];
  },
  exitCode: ({ isRejected }) => (isRejected ? 1 : 0),
});

function rejectionLines(
  filter: string,
  { status, code, message, text, at, length = 1 }: RejectedFilter,
): readonly string[] {
  const { line, column } = shownLine(filter, at ?? 0);
  const mark = '^'.repeat(Math.min(length, line.length + 1 - column));
  return [
    `${status} ${code}: ${message.split('\n')[0] ?? ''}`,
    ...(at === undefined ? [] : [`  ${line}`, `  ${' '.repeat(column)}${mark}`]),
    text,
  ];
}

/** Most characters of a filter shown on one line. */
const shownUnitsMax = 100;

/** Returns the text around a position as one line without control characters, and the column of the position. */
function shownLine(text: string, at: number): { readonly line: string; readonly column: number } {
  const start =
    text.length <= shownUnitsMax ? 0 : Math.max(0, Math.min(at - shownUnitsMax / 2, text.length - shownUnitsMax));
  const line = text.slice(start, start + shownUnitsMax).replace(/\p{Cc}/gu, ' ');
  return { line, column: at - start };
}
