import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Config } from '../../../src/settings/config.js';
import { makeMemoryEngine } from '../../../src/store/level/engine/make-engine.js';
import { openLevelStore } from '../../../src/store/level/open-level-store.js';
import { openStore } from '../../../src/store/open-store.js';
import type { Store } from '../../../src/store/store.js';
import type { StoreOptions } from '../../../src/store/store-options.js';
import { dropSchema } from '../postgres/drop-schema.js';
import { makeFolder } from '../programs/make-folder.js';

/** A place for the data of one store, empty at first. */
export interface TestPlace {
  /** Opens the store with the data that it had when it was closed. */
  open(options: StoreOptions): Promise<Store>;
  /** The settings of a server that keeps its data here. */
  readonly settings: Partial<Config>;
  /** Deletes the data. The store must be closed. */
  remove(): Promise<void>;
}

/** The database for tests on PostgreSQL. Each store gets a schema of its own. */
const testDatabase = process.env['TABULARIUM_TEST_DATABASE'] ?? '';

/** The engines of this project. A new engine adds a row here, and every test of the contract can run on it. */
const engines = {
  level: async (): Promise<TestPlace> => {
    const location = await makeFolder();
    return {
      open: (options) => openStore({ engine: 'level', location }, options),
      settings: { location },
      remove: () => rm(location, { recursive: true, force: true }),
    };
  },
  memory: async (): Promise<TestPlace> => {
    // One engine for all openings, since the data is lost with it.
    const engine = await makeMemoryEngine();
    return {
      open: (options) => openLevelStore(engine, { ...options, location: 'memory' }),
      settings: { inMemory: true },
      remove: async () => {},
    };
  },
  postgres: async (): Promise<TestPlace> => {
    if (testDatabase === '') throw new Error('Tests on PostgreSQL need TABULARIUM_TEST_DATABASE=postgres://…');
    const schema = `test_${randomUUID().replaceAll('-', '')}`;
    const database = { url: testDatabase, schema, connections: 10 };
    return {
      open: (options) => openStore({ engine: 'postgres', ...database }, options),
      settings: { database },
      remove: () => dropSchema(database),
    };
  },
};

/** The name of an engine. */
export type EngineName = keyof typeof engines;

/** The engine that the variable TABULARIUM_TEST_ENGINE names; undefined when it is not set. */
const chosen = readChoice(process.env['TABULARIUM_TEST_ENGINE']);

/** An engine with a size of the read cache. Unit: bytes. */
export interface Ground {
  readonly engine: EngineName;
  readonly cacheBytes: number;
}

/** The size of a small cache that must evict. Unit: bytes. */
export const smallCacheBytes = 64 * 1024;

const allGrounds: readonly Ground[] = [
  { engine: 'level', cacheBytes: 0 },
  { engine: 'memory', cacheBytes: 0 },
  { engine: 'memory', cacheBytes: smallCacheBytes },
];

/** The grounds on which the contract is tested: those of the chosen engine, or all. */
export const grounds: readonly Ground[] = groundsOf(allGrounds);

/** Returns the grounds that are on the chosen engine, or all. If none is, returns one without a cache. */
export function groundsOf<G extends Ground>(all: readonly G[]): readonly G[] {
  if (chosen === undefined) return all;
  const found = all.filter(({ engine }) => engine === chosen);
  const [first] = all;
  return found.length > 0 || !first ? found : [{ ...first, engine: chosen, cacheBytes: 0 }];
}

/** Creates an empty place on an engine. */
export function makePlace(engine: EngineName): Promise<TestPlace> {
  return engines[engine]();
}

/** Creates an empty place for a server under test: on the chosen engine, or in memory. */
export function makeServicePlace(): Promise<TestPlace> {
  return makePlace(chosen ?? 'memory');
}

function readChoice(name: string | undefined): EngineName | undefined {
  if (name === undefined || name === '') return undefined;
  const names = Object.keys(engines) as EngineName[];
  const found = names.find((one) => one === name);
  if (!found) throw new Error(`TABULARIUM_TEST_ENGINE is ${name}. Use one of: ${names.join(', ')}.`);
  return found;
}
