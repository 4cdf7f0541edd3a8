import { copyStore } from '../../../src/store/copy/copy-store.js';
import type { StoreDigest } from '../../../src/store/copy/digest-parts.js';
import type { StoredPart, StoreLoader, StoreReader } from '../../../src/store/copy/stored-parts.js';
import { type LastingPlace, openLoader, openReader } from '../../../src/store/open-store.js';
import { type EngineName, makePlace, type TestPlace } from './test-engines.js';

/** A place whose data can be copied. */
export interface CopyPlace extends TestPlace {
  readonly place: LastingPlace;
}

/** Creates an empty place for a copy. */
export async function makeCopyPlace(engine: Exclude<EngineName, 'memory'>): Promise<CopyPlace> {
  const made = await makePlace(engine);
  const { database, location = '' } = made.settings;
  return { ...made, place: database ? { engine: 'postgres', ...database } : { engine: 'level', location } };
}

/** Warnings end a test. */
const report = (warning: unknown) => {
  throw warning;
};

/** Reads everything at a place. */
export async function partsAt({ place }: CopyPlace): Promise<readonly StoredPart[]> {
  const reader = await openReader(place, { report });
  try {
    const parts: StoredPart[] = [];
    for await (const part of reader.read()) parts.push(part);
    return joined(parts);
  } finally {
    await reader.close();
  }
}

/** Returns parts without the clock, which advances, and with all entities of a table in one part. */
export function joined(parts: readonly StoredPart[]): readonly StoredPart[] {
  const result: StoredPart[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    if (part.kind === 'clock') continue;
    if (part.kind !== 'entities' || last?.kind !== 'entities') result.push(part);
    else {
      const { texts, places = [] } = last;
      const more = part.places && { places: [...places, ...part.places] };
      result[result.length - 1] = { kind: 'entities', texts: [...texts, ...part.texts], ...more };
    }
  }
  return result;
}

/** Copies what a reader returns to a place. `change` may replace the loader, for example by one that fails. */
export async function copyFrom(
  reader: StoreReader,
  to: CopyPlace,
  change: (loader: StoreLoader) => StoreLoader = (loader) => loader,
): Promise<StoreDigest> {
  const loader = await openLoader(to.place, { report });
  try {
    return await copyStore(reader, change(loader));
  } finally {
    await loader.close();
  }
}

/** Copies everything from one place to another. */
export async function copyPlace(from: CopyPlace, to: CopyPlace): Promise<StoreDigest> {
  const reader = await openReader(from.place, { report });
  try {
    return await copyFrom(reader, to);
  } finally {
    await reader.close();
  }
}
