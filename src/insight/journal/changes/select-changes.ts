import type { Readable } from 'node:stream';
import { writeEtag } from '../../../entity/stored/entity.js';
import { lowerAscii } from '../../../protocol/names.js';
import { redactSecrets } from '../../../protocol/redact-secrets.js';
import { EventLoopTurn } from '../../../store/event-loop-turn.js';
import { type FollowedRing, followRing } from '../follow-ring.js';
import type { Journal } from '../journal.js';
import type { KeptChange } from './change-ring.js';
import type { WrittenChange } from './written-change.js';

/** Criteria for changes. A place is the name of a mark, or the position of a change. */
export interface ChangeWish {
  /** Only changes after this place. Absent: all retained ones. */
  readonly since?: string | number;
  /** Only changes up to this place. */
  readonly until?: string | number;
  readonly account?: string;
  /** In any letter case. */
  readonly table?: string;
}

/** There is no mark with this name. */
export class UnknownPlace extends Error {
  override readonly name = 'UnknownPlace';
}

/** The changes after a place are unknown: they were overwritten, or the place predates a restart of the server. */
export class PlaceLost extends Error {
  override readonly name = 'PlaceLost';
  /** The position of the oldest retained change. */
  readonly oldest: number;

  constructor(why: string, oldest: number) {
    super(`${why} The oldest change that is kept has the position ${oldest}.`);
    this.oldest = oldest;
  }
}

/** A selection of changes. */
interface Selection {
  /** The position before the first one. */
  readonly after: number;
  /** The position of the last one. */
  readonly until: number;
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

/** The matching changes, and the positions of the oldest and the newest change of the server. */
export interface SelectedChanges {
  readonly first: number;
  readonly last: number;
  readonly changes: readonly WrittenChange[];
}

/** Returns the matching changes in commit order. Works in turns. Errors: UnknownPlace; PlaceLost. */
export async function selectChanges(journal: Journal, wish: ChangeWish): Promise<SelectedChanges> {
  const { changes } = journal;
  const { after, until, accepts } = selectionOf(journal, wish);
  // Read before the changes, so that a client that continues from `last` misses none.
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

/** Returns the changes of a request, by its `x-ms-request-id`, in commit order. Works in turns. */
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
 * Streams the matching changes, and then each new one, as `followRing` does. A client that is too slow gets a line
 * `{"dropped":n}`. Errors: UnknownPlace; PlaceLost; TooManyFollowers.
 */
export function followChanges(journal: Journal, wish: Omit<ChangeWish, 'until'>): Readable {
  const { after, accepts } = selectionOf(journal, wish);
  return followRing({ journal, ...ringOfChanges(journal, after + 1, accepts) });
}

/** Returns the changes from a position, for a stream. */
export function ringOfChanges(
  { changes }: Journal,
  from: number,
  accepts: Selection['accepts'] = () => true,
): FollowedRing {
  return {
    ring: changes,
    from,
    read(seq) {
      const change = changes.read(seq);
      return change && accepts(change) ? writeChange(change) : undefined;
    },
    dropped: (count) => ({ dropped: count }),
  };
}

function overwritten(oldest: number): PlaceLost {
  return new PlaceLost('Changes after this place were overwritten.', oldest);
}

/** Returns the position of a place. Errors: UnknownPlace. */
function placeOf(journal: Journal, place: string | number): number {
  if (typeof place === 'number' || /^\d{1,15}$/.test(place)) return Number(place);
  const seq = journal.placeOf(place);
  if (seq !== undefined) return seq;
  throw new UnknownPlace(`There is no mark '${place}'. A place is the name of a mark, or the position of a change.`);
}

/** Redacts keys, because programs also store signed URLs and tokens in them, and every reader of the journal sees changes. */
function writeChange({
  seq,
  at,
  account,
  table,
  key,
  kind,
  isNew,
  timestamp,
  writer,
  mark,
}: KeptChange): WrittenChange {
  const { partitionKey, rowKey } = key;
  return {
    ...{ seq, at: new Date(at).toISOString(), account, table },
    ...{ partitionKey: redactSecrets(partitionKey), rowKey: redactSecrets(rowKey), kind },
    ...(kind !== 'delete' && isNew !== undefined && { isNew }),
    ...(kind !== 'delete' && { etag: writeEtag(timestamp) }),
    ...(writer && { requestId: writer.requestId }),
    ...(writer?.clientRequestId !== undefined && { clientRequestId: redactSecrets(writer.clientRequestId) }),
    ...(mark !== undefined && { mark: redactSecrets(mark) }),
  };
}
