import { readLog } from './read-log.js';
import { readVarint } from './varint.js';

/** Length of what a batch begins with: a sequence number and the count of its changes. Unit: bytes. Source: LevelDB, db/write_batch.cc. */
const batchHeaderBytes = 12;

/** Begins a change that has a value; another one is a deletion. Source: LevelDB, db/dbformat.h. */
const hasValue = 1;

/**
 * Returns the newest value of a key in a log of LevelDB; undefined if it has none, null if a record is damaged: LevelDB skips it and
 * reads later ones.
 */
export function newestValue(log: Buffer, key: string): string | null | undefined {
  const wanted = Buffer.from(key);
  const { records, rest } = readLog(log);
  if (rest === 'damaged') return null;
  // Most batches do not have the bytes of the key at all.
  const values = records.flatMap((batch) => (batch.includes(wanted) ? (valueInBatch(batch, wanted) ?? []) : []));
  return values.at(-1)?.toString();
}

function valueInBatch(batch: Buffer, wanted: Buffer): Buffer | undefined {
  let newest: Buffer | undefined;
  const textAt = (at: number): [text: Buffer, next: number] => {
    const [length, start] = readVarint(batch, at);
    return [batch.subarray(start, start + length), start + length];
  };
  for (let at = batchHeaderBytes; at < batch.length; ) {
    const kind = batch[at];
    const [key, behindKey] = textAt(at + 1);
    const [value, behindValue] = kind === hasValue ? textAt(behindKey) : [undefined, behindKey];
    if (key.equals(wanted)) newest = value;
    at = behindValue;
  }
  return newest;
}
