import { setMaxListeners } from 'node:events';
import type { CopyReport, CopyWish } from './contract.js';
import { CopyRun } from './copy-run.js';
import { copyId, StateFile } from './copy-state.js';
import { CopyFault } from './ends/end.js';
import { type EndOptions, openEnds } from './ends/open-end.js';
import type { Progress } from './progress.js';

/** How a copy runs. */
export interface CopyOptions extends EndOptions {
  readonly signal: AbortSignal;
  readonly progress: Pick<Progress, 'add' | 'end'>;
  /** Rows after which a range is shared, for tests with few. */
  readonly sharedRowsMin?: number;
}

/**
 * Copies tables from one end to another. An interrupted copy continues when it is called again with the same wish.
 *
 * Errors: CopyFault, StateFault, StoreError; the reason of the signal. Unless nothing was written, the state then stays.
 */
export async function copyTablesBetween(wish: CopyWish, options: CopyOptions): Promise<CopyReport> {
  const startedAt = performance.now();
  checkWish(wish);
  // Each request and each pause listens.
  setMaxListeners(0, options.signal);
  const { from, to, pairs, close } = await openEnds(wish, options);
  try {
    const file =
      wish.dryRun || wish.compare ? undefined : await StateFile.open(wish.state, idOf(wish, from, to), wish.maskKey);
    try {
      const run = new CopyRun(wish, file, options);
      await run.copyPairs(pairs);
      await file?.remove();
      const ms = Math.round(performance.now() - startedAt);
      return { from, to, ...run.report(), continued: file?.continues ?? false, ms };
    } finally {
      options.progress.end();
      await file?.close();
    }
  } finally {
    await close();
  }
}

/** Returns the id of a copy. A signature, a key, and options for speed may change while it is interrupted. */
function idOf(wish: CopyWish, from: string, to: string): string {
  const { account, tables, filter, select, omit, mask, rename, limit, sample, mode, settings, verify } = wish;
  // A copy that is not verified hashes nothing.
  const fixed = [from, to, account, tables, filter, select, omit, mask, [...rename], String(limit), sample, mode];
  return copyId([...fixed, settings, verify]);
}

/** Errors: CopyFault for options that exclude each other. */
function checkWish({ select, omit, mask, maskKey, sample, limit, compare }: CopyWish): void {
  const keys = ['PartitionKey', 'RowKey'];
  const omitted = omit.find((name) => keys.includes(name.slice(name.indexOf('.') + 1)));
  if (omitted !== undefined) throw new CopyFault(`--omit cannot leave out the key ${omitted}.`);
  const lost = select && mask.find((name) => !name.includes('.') && ![...keys, ...select].includes(name));
  if (lost) throw new CopyFault(`--mask names ${lost}, which --select leaves out.`);
  if (!compare) return;
  if (limit !== Number.POSITIVE_INFINITY) throw new CopyFault('--compare reads whole tables. Leave out --limit.');
  if (maskKey === undefined && (mask.length > 0 || sample < 1))
    throw new CopyFault('To --compare with --mask or --sample, set the TABULARIUM_MASK_KEY that the copy had.');
}
