import { StoreError } from '../store-error.js';
import { digestParts, type StoreDigest } from './digest-parts.js';
import type { StoreLoader, StoreReader } from './stored-parts.js';

/** How far a copy is. */
export interface CopyProgress {
  readonly step: 'copying' | 'verifying';
  /** Number of entities that were copied, or read back from the copy, so far. */
  readonly entities: number;
}

/** How a copy is followed and ended. */
export interface CopyOptions {
  /** Is called after each part. */
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Ends the copy before its next part. */
  readonly signal?: AbortSignal;
}

/**
 * Copies everything that a store keeps to an empty place, reads both sides again and compares them. Only then servers can
 * open the copy. Memory is bounded: at most two parts are in it.
 *
 * Returns the digest of both. Errors: StoreError if the two differ; those of the engines; the reason of the signal. After
 * an error the place stays closed to servers, and a new copy to it starts over.
 */
export async function copyStore(
  from: StoreReader,
  to: StoreLoader,
  { onProgress = () => {}, signal }: CopyOptions = {},
): Promise<StoreDigest> {
  let entities = 0;
  const count = (step: CopyProgress['step'], more: number) => {
    signal?.throwIfAborted();
    entities += more;
    onProgress({ step, entities });
  };
  await writeAll(from, to, (more) => count('copying', more));
  await to.finish();
  entities = 0;
  const [source, copy] = await Promise.all([
    digestParts(from.read(), () => signal?.throwIfAborted()),
    digestParts(to.read(), (more) => count('verifying', more)),
  ]);
  checkSame(source, copy);
  signal?.throwIfAborted();
  await to.release();
  return source;
}

/** Writes all parts. Reads the next part while the last one is written. */
async function writeAll(from: StoreReader, to: StoreLoader, onEntities: (count: number) => void): Promise<void> {
  let writing = Promise.resolve();
  try {
    for await (const part of from.read()) {
      await writing;
      writing = to.write(part).then(() => onEntities(part.kind === 'entities' ? part.texts.length : 0));
      // Its error is thrown by the next `await`. Until then it must not count as unhandled.
      writing.catch(() => {});
    }
  } finally {
    await writing;
  }
}

/** Checks that both sides are the same. Errors: StoreError with the first difference. */
function checkSame(source: StoreDigest, copy: StoreDigest): void {
  if (source.checksum === copy.checksum) return;
  const names = new Set([...source.pieces.keys(), ...copy.pieces.keys()]);
  const differs = (name: string) => source.pieces.get(name)?.checksum !== copy.pieces.get(name)?.checksum;
  const first = [...names].find(differs);
  const entitiesIn = (digest: StoreDigest) =>
    (first === undefined ? undefined : digest.pieces.get(first)?.entities) ?? 0;
  throw new StoreError(
    'damaged',
    `The copy differs from its source in ${first ?? 'its order'}: ${entitiesIn(source)} entities in the source, ${entitiesIn(copy)} in the copy.`,
    'Stop every server and program that uses one of them, and run the command again. It starts over.',
  );
}
