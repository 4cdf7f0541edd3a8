import type { Readable } from 'node:stream';
import { lowerAscii } from '../../protocol/names.js';
import { redactSecrets } from '../../protocol/redact-secrets.js';
import { EventLoopTurn, turnForLongWork } from '../../store/event-loop-turn.js';
import { type FollowedRing, followRing } from './follow-ring.js';
import type { Journal, JournalEntry } from './journal.js';
import type { LogEntry } from './log-entry.js';
import { writeEntry } from './write-entry.js';

/** Criteria for entries. Names and texts match in any letter case. */
export interface RequestWish {
  /** A status, a class of statuses such as `4xx`, or `rejected`. */
  readonly status?: number | string;
  readonly class?: string;
  readonly op?: string;
  readonly account?: string;
  readonly table?: string;
  /** A part of a User-Agent, or a whole address. */
  readonly client?: string;
  readonly mark?: string;
  /** A part of path, query, error code or request id. */
  readonly text?: string;
  /** Whether to include requests of the page. */
  readonly explorer?: boolean;
  readonly after?: number;
  readonly before?: number;
  readonly limit?: number;
}

/** A selection of journal entries. */
export interface Selection {
  readonly after: number;
  readonly before: number;
  /** Maximum number of entries, the newest ones. */
  readonly limit: number;
  accepts(entry: JournalEntry): boolean;
}

type Test = (entry: JournalEntry) => boolean;

/** Default limit of a selection. (Our choice.) */
const limitUsual = 200;

function selectionOf(wish: RequestWish): Selection {
  const { explorer = false, after = 0, before = Number.POSITIVE_INFINITY, limit = limitUsual } = wish;
  const tests = [...testsOf(wish), ...(explorer ? [] : [({ isExplorers }: JournalEntry) => !isExplorers])];
  return { after, before, limit, accepts: (entry) => tests.every((test) => test(entry)) };
}

/**
 * Yields the newest matching entries as JSON, oldest first, in turns, because parsing the filters of a full journal can take
 * seconds. It retains only positions, so it skips entries that are overwritten before it reads them.
 */
export async function* listEntries(journal: Journal, wish: RequestWish): AsyncGenerator<LogEntry> {
  const { after, before, limit, accepts } = selectionOf(wish);
  const found: number[] = [];
  await turnForLongWork();
  const turn = new EventLoopTurn();
  for (let seq = Math.min(journal.next, before) - 1; found.length < limit; seq--) {
    if (seq < Math.max(journal.first, after + 1)) break;
    const entry = journal.read(seq);
    if (entry && accepts(entry)) found.push(seq);
    if (turn.isOver(1)) await turn.next();
  }
  for (const seq of found.reverse()) {
    const entry = journal.read(seq);
    if (entry) yield writeEntry(entry);
    if (turn.isOver(1)) await turn.next();
  }
}

function testsOf({ status, class: wanted, op, account, table, client, mark, text }: RequestWish): readonly Test[] {
  const tests: (Test | undefined)[] = [
    status === undefined ? undefined : statusTest(String(status)),
    wanted === undefined ? undefined : ({ query }) => query?.class === wanted,
    op === undefined ? undefined : ({ operation }) => wordsOf(operation) === wordsOf(op),
    account === undefined ? undefined : (entry) => entry.account === account,
    table === undefined
      ? undefined
      : (entry) => entry.table !== undefined && lowerAscii(entry.table) === lowerAscii(table),
    client === undefined ? undefined : ({ userAgent, caller }) => has(userAgent, client) || caller === client,
    mark === undefined ? undefined : (entry) => has(entry.mark, mark),
    text === undefined
      ? undefined
      : ({ target, requestId, clientRequestId, code }) =>
          // A search must not reveal a signature in the target letter by letter.
          [redactSecrets(target), requestId, redactSecrets(clientRequestId ?? ''), code].some((one) => has(one, text)),
  ];
  return tests.filter((test) => test !== undefined);
}

function has(text: string | undefined, wanted: string): boolean {
  return lowerAscii(text ?? '').includes(lowerAscii(wanted));
}

/** Removes spaces, because operation names have them in the protocol but not in a log. */
function wordsOf(operation = ''): string {
  return lowerAscii(operation.replaceAll(' ', ''));
}

/** Returns the test of a status such as 404, of a class such as 4xx, or of rejected requests, which a transaction may hide in a 202. */
function statusTest(value: string): Test {
  if (value === 'rejected') return ({ explanation }) => explanation !== undefined;
  if (value.endsWith('xx')) return ({ status }) => Math.floor(status / 100) === Number(value[0]);
  return ({ status }) => status === Number(value);
}

/**
 * Streams the matching entries, and then each new one, as `followRing` does. A client that is too slow gets a line
 * `{"Dropped":n}`. Errors: TooManyFollowers.
 */
export function followEntries(journal: Journal, wish: RequestWish): Readable {
  const { after, accepts } = selectionOf(wish);
  return followRing({ journal, ...ringOfEntries(journal, after + 1, accepts) });
}

/** Returns the entries from a position, for a stream. */
export function ringOfEntries(
  journal: Journal,
  from: number,
  accepts: Selection['accepts'] = () => true,
): FollowedRing {
  return {
    ring: journal,
    from,
    read(seq) {
      const entry = journal.read(seq);
      return entry && accepts(entry) ? writeEntry(entry) : undefined;
    },
    dropped: (count) => ({ Dropped: count }),
  };
}
