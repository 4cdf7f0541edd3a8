import { lowerAscii } from '../../protocol/names.js';
import { redactSecrets } from '../../protocol/redact-secrets.js';
import { EventLoopTurn, turnForLongWork } from '../../store/event-loop-turn.js';
import { queryClassNames } from '../queries/query-classes.js';
import type { Journal, JournalEntry } from './journal.js';

/** The names by which entries are selected. */
export const selectors = [
  'after',
  'before',
  'limit',
  'status',
  'class',
  'op',
  'table',
  'client',
  'mark',
  'text',
  'explorer',
] as const;

/** A selector that is unknown or has an invalid value. The message describes valid ones. */
export class SelectorFault extends Error {
  override readonly name = 'SelectorFault';
}

/** Which entries of a journal are wanted. */
export interface Selection {
  /** Only entries after this position. */
  readonly after: number;
  /** Only entries before this position. */
  readonly before: number;
  /** How many entries at most, the newest ones. */
  readonly limit: number;
  /** Whether an entry is wanted. */
  accepts(entry: JournalEntry): boolean;
}

type Test = (entry: JournalEntry) => boolean;

/** How many entries a selection has if it does not say. Ours. */
const limitUsual = 200;

/** Reads a selection from the query of a URL. Errors: SelectorFault. */
export function readSelection(query: URLSearchParams): Selection {
  const tests: Test[] = (query.get('explorer') ?? 'false') !== 'false' ? [] : [({ isExplorers }) => !isExplorers];
  for (const [name, value] of query) {
    const test = testOf(name, value);
    if (test) tests.push(test);
  }
  return {
    after: readNumber(query, 'after', 0),
    before: readNumber(query, 'before', Number.POSITIVE_INFINITY),
    limit: readNumber(query, 'limit', limitUsual),
    accepts: (entry) => tests.every((test) => test(entry)),
  };
}

/**
 * Yields the newest entries of a selection, oldest first, in turns: reading the filters of a full journal can take seconds.
 * Only positions are kept, so an entry that is overwritten before it is read is left out.
 */
export async function* selectEntries(
  journal: Journal,
  { after, before, limit, accepts }: Selection,
): AsyncGenerator<JournalEntry> {
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
    if (entry) yield entry;
    // The caller writes each entry before it takes the next one.
    if (turn.isOver(1)) await turn.next();
  }
}

function testOf(name: string, value: string): Test | undefined {
  const wanted = lowerAscii(value);
  const has = (text: string | undefined) => lowerAscii(text ?? '').includes(wanted);
  switch (name) {
    case 'status':
      return statusTest(value);
    case 'class':
      if (!(queryClassNames as readonly string[]).includes(value)) {
        throw new SelectorFault(`There is no class ${value}. The classes are: ${queryClassNames.join(', ')}.`);
      }
      return ({ query }) => query?.class === value;
    case 'op':
      return ({ operation }) => lowerAscii((operation ?? '').replaceAll(' ', '')) === wanted.replaceAll(' ', '');
    case 'table':
      return ({ resource }) => resource !== undefined && 'table' in resource && lowerAscii(resource.table) === wanted;
    case 'client':
      return ({ userAgent, caller }) => has(userAgent) || caller === value;
    case 'mark':
      return ({ mark }) => has(mark);
    case 'text':
      return ({ target, requestId, clientRequestId, code }) =>
        // A signature in the target must not be found letter by letter.
        has(redactSecrets(target)) || has(requestId) || has(redactSecrets(clientRequestId ?? '')) || has(code);
    default:
      return undefined;
  }
}

/** Returns the test of a status, such as 404, or of a class of them, such as 4xx. */
function statusTest(value: string): Test {
  if (!/^[1-5](?:\d\d|xx)$/.test(value)) throw new SelectorFault('A status is three digits, as 404, or 4xx.');
  if (value.endsWith('xx')) return ({ status }) => Math.floor(status / 100) === Number(value[0]);
  return ({ status }) => status === Number(value);
}

function readNumber(query: URLSearchParams, name: string, usual: number): number {
  const text = query.get(name);
  if (text === null) return usual;
  if (!/^\d{1,15}$/.test(text)) throw new SelectorFault(`${name} is a whole number.`);
  return Number(text);
}
