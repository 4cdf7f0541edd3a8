import {
  changed,
  changeSelectors,
  followChanges,
  groupByTable,
  PlaceLost,
  readChangeWish,
  selectChanges,
} from '../insight/changes/select-changes.js';
import type { TableChanges, WrittenChange } from '../insight/changes/written-change.js';
import { followersMax } from '../insight/journal/follow-ring.js';
import type { Journal } from '../insight/journal/journal.js';
import { SelectorFault } from '../insight/journal/select-entries.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { answerLines } from './answer-list.js';
import { isOn } from './check-query.js';
import { answerJson, type ControlAnswer, type ControlRow, ndjson } from './control-row.js';
import { tooManyFollowers } from './requests.js';

/** The longest that a client may wait for a change. Unit: seconds. Ours: proxies wait that long. */
const waitSecondsMax = 60;

/** Returns the row that shows what was written. */
export function changesRow(journal: Journal): ControlRow {
  return {
    method: 'GET',
    path: `${controlRoot}/changes`,
    purpose: 'what this server wrote, a line each; ?since=MARK&until=&account=&table=&group=table&wait=20&follow',
    query: { values: [...changeSelectors, 'group', 'wait'], switches: ['follow'] },
    refusesHead: true,
    async run({ query, gone }) {
      try {
        return await answerChanges(journal, query, gone);
      } catch (error) {
        if (error instanceof SelectorFault) return answerJson(400, { error: error.message });
        if (error instanceof PlaceLost) return answerJson(410, { error: error.message, oldest: error.oldest });
        throw error;
      }
    },
  };
}

async function answerChanges(journal: Journal, query: URLSearchParams, gone?: AbortSignal): Promise<ControlAnswer> {
  const wish = readChangeWish(journal, query);
  const group = readGroup(query);
  const wait = readWait(query);
  const isFollowing = isOn(query, 'follow');
  if (isFollowing && (query.has('until') || group)) throw new SelectorFault('A stream has no end and no groups.');
  if ((isFollowing || wait > 0) && journal.listeners >= followersMax) return tooManyFollowers();
  if (isFollowing) return { status: 200, contentType: ndjson, body: followChanges(journal, wish, headOf(journal)) };
  if (wait > 0) await changed(journal, wish, wait, gone);
  // Before the changes are read, so that a client that goes on from `last` misses none.
  const head = headOf(journal);
  const changes = await selectChanges(journal, { ...wish, until: Math.min(wish.until, head.last) });
  return answerLines(writeLines(head, group ? groupByTable(changes) : changes));
}

/** Yields the texts of lines. One of a group may be as long as all others together, so it comes in several texts. */
function* writeLines(head: object, lines: readonly (WrittenChange | TableChanges)[]): Generator<string> {
  yield `${JSON.stringify(head)}\n`;
  for (const line of lines) {
    if (!('changes' in line)) yield `${JSON.stringify(line)}\n`;
    else {
      const { changes, ...table } = line;
      yield `${JSON.stringify(table).slice(0, -1)},"changes":[`;
      for (const [at, change] of changes.entries()) yield `${at === 0 ? '' : ','}${JSON.stringify(change)}`;
      yield ']}\n';
    }
  }
}

/** Returns the first line of an answer: whose changes these are, and the positions of the oldest and the newest. */
function headOf({ changes: { first, next } }: Journal) {
  return { scope: 'the changes that this server wrote since it started', first, last: next - 1 };
}

function readGroup(query: URLSearchParams): boolean {
  const group = query.get('group');
  if (group !== null && group !== 'table') throw new SelectorFault('Changes can be grouped by table: group=table.');
  return group !== null;
}

/** Returns for how many seconds to wait for a change. */
function readWait(query: URLSearchParams): number {
  const text = query.get('wait') ?? '0';
  const seconds = Number(text);
  if (seconds >= 0 && seconds <= waitSecondsMax) return seconds;
  throw new SelectorFault(`wait is a number of seconds, at most ${waitSecondsMax}.`);
}
