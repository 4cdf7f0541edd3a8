import { targetOf } from '../../../address/request-target.js';
import type { KeptChange } from '../../journal/changes/change-ring.js';
import type { Journal, JournalEntry } from '../../journal/journal.js';

/** Rejected requests to one table with the same cause. */
export interface UnexpectedRejection {
  /** The newest of them. */
  readonly entry: JournalEntry;
  readonly requests: number;
}

/**
 * Returns the rejections that may have made a program fail, oldest first. Programs expect the others: creating an existing table,
 * deleting a missing table or entity, and rejections before a successful retry or the insert of the missing entity. `account` selects
 * the requests of one account.
 */
export function unexpectedRejections(journal: Journal, account?: string): readonly UnexpectedRejection[] {
  const succeeded = new Set<string>();
  const found = new Map<string, { entry: JournalEntry; requests: number }>();
  for (let seq = journal.next - 1; seq >= journal.first; seq--) {
    const entry = journal.read(seq, account);
    if (!entry || entry.isExplorers) continue;
    const names = namesOf(entry);
    const { explanation, code, resource } = entry;
    if (!explanation) {
      if (entry.status < 400) for (const name of names) succeeded.add(name);
      continue;
    }
    if (isTrueAlready(entry) || names.some((name) => succeeded.has(name)) || wasInserted(entry, journal)) continue;
    const table = resource && 'table' in resource ? resource.table : '';
    const key = [code, entry.account, table, explanation.cause].join('\n');
    const known = found.get(key);
    if (known) known.requests++;
    else found.set(key, { entry, requests: 1 });
  }
  return [...found.values()].reverse();
}

/** Returns the kept requests of an account, oldest first, without those of the page for browsers. */
export function requestsOf(journal: Journal, account: string): readonly JournalEntry[] {
  const found: JournalEntry[] = [];
  for (let seq = journal.first; seq < journal.next; seq++) {
    const entry = journal.read(seq, account);
    if (entry && !entry.isExplorers) found.push(entry);
  }
  return found;
}

/**
 * Returns names that a request shares with its retries within one test. The address of an insert is not one: all inserts into a
 * table share it.
 */
function namesOf({ method, target, clientRequestId, mark = '' }: JournalEntry): readonly string[] {
  return [
    ...(clientRequestId === undefined ? [] : [`${mark} ${clientRequestId}`]),
    ...(method === 'POST' ? [] : [`${mark} ${method} ${targetOf(target)}`]),
  ];
}

/** Whether the table to create exists, or the table or entity to delete does not. */
function isTrueAlready({ operation, code, status }: JournalEntry): boolean {
  if (operation === 'Create Table') return code === 'TableAlreadyExists';
  return status === 404 && (operation === 'Delete Table' || operation === 'Delete Entity');
}

/** Whether the same test wrote the missing entity afterwards. */
function wasInserted({ status, account, resource, at, mark }: JournalEntry, { changes }: Journal): boolean {
  if (status !== 404 || account === undefined || resource?.kind !== 'entity') return false;
  const { table, key } = resource;
  const isLater = (change: KeptChange) => change.at >= at && change.mark === mark;
  return changes.findLast({ account, table, key }, isLater) !== undefined;
}
