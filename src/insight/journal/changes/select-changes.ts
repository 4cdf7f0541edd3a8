import type { Readable } from 'node:stream';
import { writeEtag } from '../../../entity/stored/entity.js';
import { lowerAscii } from '../../../protocol/names.js';
import { redactSecrets } from '../../../protocol/redact-secrets.js';
import { EventLoopTurn } from '../../../store/event-loop-turn.js';
import { followRing } from '../follow-ring.js';
import type { Journal } from '../journal.js';
import type { KeptChange } from './change-ring.js';
import type { WrittenChange } from './written-change.js';

/** Which changes are wanted. A place is the name of a mark, or the position of a change. */
export interface ChangeWish {
  /** Only changes after this place. Absent: all that are kept. */
  readonly since?: string | number;
  /** Only changes up to this place. */
  readonly until?: string | number;
  readonly account?: string;
  /** In any letter case. */
  readonly table?: string;
}

/** There is no mark of a name. */
export class UnknownPlace extends Error {
  override readonly name = 'UnknownPlace';
}

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
interface Selection {
  /** The position before the first one. */
  readonly after: number;
  /** The position of the last one. */
  readonly until: number;
  /** Whether a change is wanted. */
  accepts(change: KeptChange): boolean;
}

function selectionOf(journal: Journal, { since, until, account, table }: ChangeWish): Selection {
  const { first, next } = journal.changes;
  const after = since === undefined ? first - 1 : placeOf(journal, since);
  if (after < first - 1) throw overwritten(first);
  if (after >= next) throw new PlaceLost(`This server has no change ${after}; it may have restarted.`, first);
  const lowered = table === undefined ? undefined : lowerAscii(table);
  return {
    after,
    until: until === undefined ? Number.POSITIVE_INFINITY : placeOf(journal, until),
    accepts: (change) =>
      (account === undefined || change.account === account) &&
      (lowered === undefined || lowerAscii(change.table) === lowered),
  };
}

/** What was written, and the positions of the oldest and the newest change. */
export interface SelectedChanges {
  readonly first: number;
  readonly last: number;
  readonly changes: readonly WrittenChange[];
}

/**
 * Returns the wanted changes that are kept, in the order of their commits. It works in turns. Errors: UnknownPlace; PlaceLost.
 */
export async function selectChanges(journal: Journal, wish: ChangeWish): Promise<SelectedChanges> {
  const { changes } = journal;
  const { after, until, accepts } = selectionOf(journal, wish);
  // Before the changes are read, so that a client that continues from `last` misses none.
  const { first, next } = changes;
  const found: WrittenChange[] = [];
  const turn = new EventLoopTurn();
  for (let seq = after + 1; seq <= Math.min(next - 1, until); seq++) {
    // Other requests write while this one waits for its turn.
    if (seq < changes.first) throw overwritten(changes.first);
    const change = changes.read(seq);
    if (change && accepts(change)) found.push(writeChange(change));
    if (turn.isOver(1)) await turn.next();
  }
  return { first, last: next - 1, changes: found };
}

/** Returns the kept changes that a request asked for, by its `x-ms-request-id`, in their order. It works in turns. */
export async function changesOf({ changes }: Journal, requestId: string): Promise<readonly WrittenChange[]> {
  const found: WrittenChange[] = [];
  const turn = new EventLoopTurn();
  for (let seq = changes.first; seq < changes.next; seq++) {
    const change = changes.read(seq);
    if (change?.writer?.requestId === requestId) found.push(writeChange(change));
    if (turn.isOver(1)) await turn.next();
  }
  return found;
}

/**
 * Returns the wanted changes that are kept, and then each as it comes, as `followRing` does. A client that is too slow gets a line
 * `{"dropped":n}`. Errors: UnknownPlace; PlaceLost; TooManyFollowers.
 */
export function followChanges(journal: Journal, wish: Omit<ChangeWish, 'until'>): Readable {
  const { changes } = journal;
  const { after, accepts } = selectionOf(journal, wish);
  return followRing({
    journal,
    ring: changes,
    from: after + 1,
    read(seq) {
      const change = changes.read(seq);
      return change && accepts(change) ? writeChange(change) : undefined;
    },
    dropped: (count) => ({ dropped: count }),
  });
}

function overwritten(oldest: number): PlaceLost {
  return new PlaceLost('Changes after this place were overwritten.', oldest);
}

/** Returns the position that a place stands for. Errors: UnknownPlace. */
function placeOf(journal: Journal, place: string | number): number {
  if (typeof place === 'number' || /^\d{1,15}$/.test(place)) return Number(place);
  const seq = journal.placeOf(place);
  if (seq !== undefined) return seq;
  throw new UnknownPlace(`There is no mark '${place}'. A place is the name of a mark, or the position of a change.`);
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
