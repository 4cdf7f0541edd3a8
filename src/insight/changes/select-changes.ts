import type { Readable } from 'node:stream';
import { writeEtag } from '../../entity/stored/entity.js';
import { lowerAscii } from '../../protocol/names.js';
import { redactSecrets } from '../../protocol/redact-secrets.js';
import { EventLoopTurn } from '../../store/event-loop-turn.js';
import { followRing } from '../journal/follow-ring.js';
import type { Journal } from '../journal/journal.js';
import { SelectorFault } from '../journal/select-entries.js';
import type { KeptChange } from './change-ring.js';
import type { TableChanges, WrittenChange } from './written-change.js';

/** The names by which changes are selected. */
export const changeSelectors = ['since', 'until', 'account', 'table'] as const;

/** What came after a place is not known: it was overwritten, or the place is from before a restart of the server. */
export class PlaceLost extends Error {
  override readonly name = 'PlaceLost';
  /** The position of the oldest change that is kept. */
  readonly oldest: number;

  constructor(why: string, oldest: number) {
    super(`${why} The oldest change that is kept has the position ${oldest}.`);
    this.oldest = oldest;
  }
}

/** Which changes of a journal are wanted. */
export interface ChangeWish {
  /** The position before the first one. */
  readonly after: number;
  /** The position of the last one; infinite if all that come are wanted. */
  readonly until: number;
  /** Whether a change is wanted. */
  accepts(change: KeptChange): boolean;
}

/** Reads a selection from the query of a URL. Errors: SelectorFault; PlaceLost. */
export function readChangeWish(journal: Journal, query: URLSearchParams): ChangeWish {
  const { first, next } = journal.changes;
  const since = query.get('since');
  const until = query.get('until');
  const after = since === null ? first - 1 : placeOf(journal, since);
  if (after < first - 1) throw overwritten(first);
  if (after >= next) throw new PlaceLost(`This server has no change ${after}. It has restarted.`, first);
  const account = query.get('account');
  const table = query.get('table');
  const lowered = table === null ? undefined : lowerAscii(table);
  return {
    after,
    until: until === null ? Number.POSITIVE_INFINITY : placeOf(journal, until),
    accepts: (change) =>
      (account === null || change.account === account) &&
      (lowered === undefined || lowerAscii(change.table) === lowered),
  };
}

/** Returns the wanted changes that are kept, in the order of their commits. It works in turns. Errors: PlaceLost. */
export async function selectChanges(journal: Journal, wish: ChangeWish): Promise<readonly WrittenChange[]> {
  const { changes } = journal;
  const found: WrittenChange[] = [];
  const turn = new EventLoopTurn();
  const last = Math.min(changes.next - 1, wish.until);
  for (let seq = wish.after + 1; seq <= last; seq++) {
    // Other requests write while this one waits for its turn.
    if (seq < changes.first) throw overwritten(changes.first);
    const change = changes.read(seq);
    if (change && wish.accepts(change)) found.push(writeChange(change));
    if (turn.isOver(1)) await turn.next();
  }
  return found;
}

/**
 * Returns the wanted changes that are kept, and then each as it comes, as `followRing` does. `head` comes first. A client
 * that is too slow gets a line `{"dropped":n}`.
 */
export function followChanges(journal: Journal, { after, accepts }: ChangeWish, head: object): Readable {
  const { changes } = journal;
  return followRing({
    journal,
    ring: changes,
    from: after + 1,
    head,
    read(seq) {
      const change = changes.read(seq);
      return change && accepts(change) ? writeChange(change) : undefined;
    },
    dropped: (count) => ({ dropped: count }),
  });
}

/** Resolves when there is a wanted change, after a number of seconds, when the client has gone, or when the journal is closed. */
export async function changed(
  journal: Journal,
  { after, until, accepts }: ChangeWish,
  seconds: number,
  gone?: AbortSignal,
): Promise<void> {
  const { changes } = journal;
  let seen = after;
  const hasMore = () => {
    while (seen < changes.next - 1) {
      const change = ++seen <= until ? changes.read(seen) : undefined;
      if (change && accepts(change)) return true;
    }
    return journal.isClosed;
  };
  if (hasMore() || gone?.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      gone?.removeEventListener('abort', end);
      stop();
      resolve();
    };
    const timer = setTimeout(end, seconds * 1000);
    const stop = journal.listen(() => {
      if (hasMore()) end();
    });
    gone?.addEventListener('abort', end);
  });
}

/** Returns changes by table, in the order of the first change of each. */
export function groupByTable(changes: readonly WrittenChange[]): readonly TableChanges[] {
  const groups = new Map<string, TableChanges & { readonly changes: WrittenChange[] }>();
  for (const change of changes) {
    const { account, table } = change;
    const key = `${account}/${lowerAscii(table)}`;
    const group = groups.get(key) ?? { account, table, changes: [] };
    group.changes.push(change);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function overwritten(oldest: number): PlaceLost {
  return new PlaceLost('Changes after this place were overwritten.', oldest);
}

/** Returns the position that a place stands for. Errors: SelectorFault for a mark that is not known. */
function placeOf(journal: Journal, place: string): number {
  if (/^\d{1,15}$/.test(place)) return Number(place);
  const seq = journal.placeOf(place);
  if (seq !== undefined) return seq;
  throw new SelectorFault(`There is no mark '${place}'. A place is the name of a mark, or the position of a change.`);
}

/** Programs also keep signed URLs and tokens in keys, and everyone who may read the journal sees changes. */
function writeChange({ seq, at, account, table, key, kind, timestamp, writer, mark }: KeptChange): WrittenChange {
  const { partitionKey, rowKey } = key;
  return {
    ...{ seq, at: new Date(at).toISOString(), account, table },
    ...{ partitionKey: redactSecrets(partitionKey), rowKey: redactSecrets(rowKey), kind },
    ...(kind !== 'delete' && { etag: writeEtag(timestamp) }),
    ...(writer && { requestId: writer.requestId }),
    ...(writer?.clientRequestId !== undefined && { clientRequestId: redactSecrets(writer.clientRequestId) }),
    ...(mark !== undefined && { mark: redactSecrets(mark) }),
  };
}
