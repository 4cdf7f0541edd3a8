import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Engine } from '../../../src/store/level/engine/engine.js';
import type { LogFiles } from '../../../src/store/level/log/log-files.js';

/** Where a store can fail: the functions of the log's files, and those of the engine. */
export const failingPlaces = [
  ...(['create', 'open', 'remove', 'syncFolder', 'write', 'sync', 'cut'] as const),
  ...(['batch', 'put', 'compact', 'open engine'] as const),
];
export type FailingPlace = (typeof failingPlaces)[number];

/** A failure that is to come. */
export interface PlannedFailure {
  readonly place: FailingPlace;
  /** How many calls succeed before it. */
  readonly after: number;
  /** Whether all later calls fail, too. */
  readonly isLasting: boolean;
  /** How much of the work is done although the call fails. */
  readonly done: 'none' | 'half' | 'all';
  /** How many turns of the event loop the call takes. */
  readonly turns: number;
}

/** Failures of a disk, as they are planned. */
export class InjectedFailures {
  #planned: { readonly failure: PlannedFailure; left: number }[] = [];
  readonly #happened = new Map<FailingPlace, number>();

  plan(failure: PlannedFailure): void {
    this.#planned.push({ failure, left: failure.after });
  }

  /** Forgets all that are planned. The disk works from now on. */
  end(): void {
    this.#planned = [];
  }

  /** How often calls at these places have failed since `forget`. */
  count(...places: readonly FailingPlace[]): number {
    return places.reduce((sum, place) => sum + (this.#happened.get(place) ?? 0), 0);
  }

  forget(): void {
    this.#happened.clear();
  }

  /** Returns the failure of a call at a place; undefined if it succeeds. */
  next(place: FailingPlace): PlannedFailure | undefined {
    const due = this.#planned.find(({ failure, left }) => failure.place === place && left === 0);
    for (const one of this.#planned) if (one.failure.place === place && one.left > 0) one.left--;
    if (!due) return undefined;
    if (!due.failure.isLasting) this.#planned = this.#planned.filter((one) => one !== due);
    this.#happened.set(place, this.count(place) + 1);
    return due.failure;
  }

  /** Runs what takes a turn or more, and fails if it is to. */
  async run<T>(place: FailingPlace, work: () => Promise<T>, half?: () => Promise<unknown>): Promise<T> {
    const failure = this.next(place);
    if (!failure) return work();
    for (let turn = 0; turn < failure.turns; turn++) await nextTurn();
    if (failure.done === 'half') await half?.();
    if (failure.done === 'all') await work();
    throw new Error(`EIO: ${place}`);
  }

  /** The same within one turn. */
  runNow<T>(place: FailingPlace, work: () => T, half?: () => unknown): T {
    const failure = this.next(place);
    if (!failure) return work();
    if (failure.done === 'half') half?.();
    if (failure.done === 'all') work();
    throw new Error(`EIO: ${place}`);
  }
}

/** Returns files of a log that fail as planned. */
export function failingFiles(files: LogFiles, failures: InjectedFailures): LogFiles {
  const half = (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1);
  return {
    create: (path) => {
      const failure = failures.next('create');
      if (!failure) return files.create(path);
      // A file without a descriptor may be there.
      if (failure.done !== 'none') files.close(files.create(path));
      throw new Error('EIO: create');
    },
    open: (path) => {
      if (failures.next('open')) throw new Error('EIO: open');
      return files.open(path);
    },
    sizeOf: (path) => files.sizeOf(path),
    remove: (path) => failures.run('remove', () => files.remove(path)),
    syncFolder: (path) => failures.run('syncFolder', () => files.syncFolder(path)),
    write: (descriptor, bytes, position) =>
      failures.runNow(
        'write',
        () => files.write(descriptor, bytes, position),
        () => files.write(descriptor, half(bytes), position),
      ),
    writeLater: (descriptor, bytes, position) =>
      failures.run(
        'write',
        () => files.writeLater(descriptor, bytes, position),
        () => files.writeLater(descriptor, half(bytes), position),
      ),
    sync: (descriptor) => files.sync(descriptor),
    cut: (descriptor, bytes) => failures.runNow('cut', () => files.cut(descriptor, bytes)),
    close: (descriptor) => files.close(descriptor),
  };
}

/** Makes an engine fail as planned. */
export function makeFail(engine: Engine, failures: InjectedFailures): void {
  const { batch, open } = engine;
  const put: (key: string, value: string, options: object) => Promise<void> = engine.put;
  const { compactRange } = engine as Engine & { compactRange?: (from: string, to: string) => Promise<void> };
  Object.assign(engine, {
    batch: (...none: []) => {
      const chained = batch.apply(engine, none);
      const write = chained.write.bind(chained);
      return Object.assign(chained, { write: () => failures.run('batch', write) });
    },
    put: (key: string, value: string, options: object) =>
      failures.run('put', () => put.call(engine, key, value, options)),
    open: async (options?: { passive?: boolean }) => {
      // An engine also opens by itself, and the caller then only waits.
      if (options?.passive || engine.status === 'open' || !failures.next('open engine'))
        return open.call(engine, options ?? {});
      await engine.close();
      throw new Error('EIO: open engine');
    },
    ...(compactRange && {
      compactRange: (from: string, to: string) => failures.run('compact', () => compactRange.call(engine, from, to)),
    }),
  });
}
