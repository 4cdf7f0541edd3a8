import { escapeText } from '../config.js';
import type { Finding } from '../insight/coach/finding.js';
import { reportLines, whyLines } from '../insight/coach/report/rejection-lines.js';
import type { Attempt, ExplainedRequest, RejectedRequests } from '../insight/explained-request.js';
import type { JournalEntry } from '../insight/journal/journal.js';
import type { ExplainedFilter, RejectedFilter } from '../insight/why/filter/explained-filter.js';
import { lowerAscii } from '../protocol/names.js';
import { count, described, list, name, object, optional, text } from '../schema.js';
import { journalOf, notInJournal, RejectedCall, type VerbServer, verb } from './verb.js';

/** Most other accounts searched for a table. (Our choice: each costs a call to the store.) */
const accountsMax = 16;

/** Most causes in a report. (Our choice: thousands take seconds to explain, and people read the last ones.) */
const causesMax = 100;

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
    return {
      ...(await explainEntry(entry, server)),
      ...(attempts.length > 1 && { attempts: attempts.map(attemptOf) }),
    };
  },
  lines: (explained, _input, { data }) => whyLines(explained, data),
});

async function explainEntry(entry: JournalEntry, server: VerbServer): Promise<ExplainedRequest> {
  const { explanation, code } = entry;
  const { judgeRequest } = await import('../insight/coach/judge-request.js');
  return {
    ...attemptOf(entry),
    ...(explanation ?? judgeRequest(entry, server.coach)),
    ...(code === 'TableNotFound' && (await findTable(entry, server))),
  };
}

export const branchReport = verb({
  name: 'branch report',
  does: 'Report why requests of an account were rejected, and which would be slow or costly in Azure.',
  notes:
    'The account need not be a branch. Rejections that programs expect are left out, as in `exec`. Over HTTP, `Accept: text/plain` gets `text` alone.',
  http: 'GET /branches/{account}/report',
  changes: 'nothing',
  agent: { when: 'Call it after a test failed that has an account or a branch of its own.' },
  example: 'branch report branch1',
  takes: { account: name('The account.', { value: 'ACCOUNT', example: 'branch1' }) },
  words: ['account'],
  answers: object('AccountReport', 'The rejections and findings of an account.', {
    requests: count('How many of its requests are kept.'),
    rejected: list(
      `Its unexpected rejections by cause, the newest last, at most ${causesMax}.`,
      described<RejectedRequests>('RejectedRequests', 'Rejected requests with one cause.', 'insight/explained-request'),
    ),
    findings: list(
      'What the coach found in its requests, the worst first.',
      described<Finding>('Finding', 'Something that the coach found.', 'insight/coach/finding'),
    ),
    text: text(
      'The lines for the output of a failed test, at most five causes and five warnings; empty if there are none.',
    ),
  }),
  async run(server, { account }) {
    const journal = journalOf(server);
    const [{ requestsOf, unexpectedRejections }, { requestPath }] = await Promise.all([
      import('../insight/coach/report/unexpected-rejections.js'),
      import('../insight/journal/write-entry.js'),
    ]);
    const requests = requestsOf(journal, account);
    if (requests.length === 0 && !server.info.accounts().includes(account))
      throw new RejectedCall(404, `There is no account ${account}, and the journal has no requests of it.`);
    const all = unexpectedRejections(journal, account);
    const unlisted = all.slice(0, -causesMax).reduce((sum, { requests }) => sum + requests, 0);
    const rejected: RejectedRequests[] = [];
    for (const { entry, requests } of all.slice(-causesMax)) {
      const { method, mark } = entry;
      const marked = mark !== undefined && { mark };
      rejected.push({
        ...(await explainEntry(entry, server)),
        ...{ method, path: requestPath(entry, account), requests, ...marked },
      });
    }
    const findings = server.coach?.findingsOf(requests, Date.now()) ?? [];
    const [mark, other] = new Set(requests.map(({ mark }) => mark));
    const owner = other === undefined ? (mark ?? account) : account;
    const lines = reportLines(owner, rejected, findings, unlisted).map(escapeText);
    return { requests: requests.length, rejected, findings, text: lines.join('\n') };
  },
  textOf: ({ text }) => text,
  lines: ({ text }, _input, { data }) => (text === '' ? [] : data(text.split('\n'))),
});

function attemptOf({ requestId, status, code }: JournalEntry): Attempt {
  return { requestId, status, ...(code !== undefined && { code }) };
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
