import { statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Level } from 'level';
import { createClock } from '../../../src/clock/clock.js';
import type { Engine } from '../../../src/store/level/engine/engine.js';
import type { LevelStore } from '../../../src/store/level/level-store.js';
import { dataFolder, openFolder } from '../../../src/store/level/open-folder.js';
import { StoreError } from '../../../src/store/store-error.js';
import { randomFrom } from '../arbitrary/random.js';
import { makeFolder } from '../programs/make-folder.js';
import { copyAsKilled } from '../store/copy-as-killed.js';
import { askStore, readStore, type View } from './ask-store.js';
import { accounts, type History, type Step, traitsOf } from './failing-history.js';
import { failingFiles, InjectedFailures, makeFail } from './injected-failures.js';
import { damage, LossyDisk, levelLogs } from './lossy-disk.js';
import { apply, emptyModel, type Operation, type StoreModel, stateOf, TableNumbers } from './store-model.js';
import { accountsText, accountText, modelText, type RowOrder } from './store-text.js';

/** A view that was opened, and what it may show. */
interface Shown extends View {
  readonly allowed: Set<string>;
  text?: Promise<string | undefined>;
}

/** An operation that was asked for since the store was last compared. */
interface Asked {
  readonly operation: Operation;
  readonly asked: number;
  /** When it was answered or rejected. */
  ended: number;
  readonly mayFail: () => boolean;
  answer?: string;
  error?: unknown;
  shown?: Shown | undefined;
  done: Promise<void>;
}

/** The most operations in flight: more would have too many orders. */
const askedMax = 4;

/** No disk takes so long. Unit: milliseconds. */
const hangMs = 120_000;

/** A store on a disk that fails, and the models of what it may have. */
export class FailingStore {
  readonly #history: History;
  readonly #failures = new InjectedFailures();
  readonly #numbers = new TableNumbers();
  #folder = '';
  #disk = new LossyDisk(false);
  #store: LevelStore | undefined;
  #levelSizes = new Map<string, number>();
  #reports: unknown[] = [];
  /** Whether no failure was planned since the disk last worked. */
  #isHealthy = true;
  #moment = 0;
  /** What the store may have. One, but after failures during a comparison. */
  #models: readonly StoreModel[] = [emptyModel];
  /** What a power failure may leave, if the durability is `os`. */
  #past: StoreModel[] = [];
  #asked: Asked[] = [];
  #shown: Shown[] = [];
  /** Operations that were rejected, and that a start may find because the disk did not take them back either. */
  #uncertain: Operation[] = [];
  #branches: string[] = [];
  #branch: string | undefined;

  constructor(history: History) {
    this.#history = history;
  }

  /** Does all steps of the history. Errors: Violation. */
  async run(): Promise<void> {
    this.#folder = await makeFolder();
    try {
      await this.#open();
      for (const one of this.#history.steps) await this.#step(one);
      await this.#workAgain();
      await this.#reopen();
    } finally {
      this.#failures.end();
      await this.#store?.close();
      await rm(this.#folder, { recursive: true, force: true });
    }
  }

  get #opened(): LevelStore {
    if (!this.#store) throw new Error('the store is not open');
    return this.#store;
  }

  get #order() {
    return traitsOf[this.#history.service].rowOrder;
  }

  async #step(one: Step): Promise<void> {
    switch (one.do) {
      case 'ask':
        if (this.#asked.length >= askedMax) await this.#settle();
        this.#ask(one.operation);
        for (let turn = 0; turn < one.turns; turn++) await nextTurn();
        return;
      case 'fail':
        this.#isHealthy = false;
        this.#failures.plan(one.failure);
        return;
      case 'work again':
        return this.#workAgain();
      case 'read views':
        for (const shown of this.#shown) this.#read(shown);
        for (const { shown } of this.#asked) if (shown) this.#read(shown);
        return;
      case 'sweep':
        await this.#inTime('swept', this.#opened.swept()).catch((error: unknown) => this.#mayReject(error));
        return;
      case 'settle':
        return this.#settle();
      case 'reopen':
        return this.#reopen(() => {
          if (one.failure) {
            this.#isHealthy = false;
            this.#failures.plan(one.failure);
          }
        });
      case 'kill':
        return this.#kill();
      case 'cut the power':
        return this.#kill(randomFrom(one.seed));
    }
  }

  /** Opens the store. If that fails, the disk works again, and it is opened once more. */
  async #open(): Promise<void> {
    try {
      this.#store = await this.#openOnce();
    } catch (error) {
      this.#mayReject(error);
      this.#failures.end();
      this.#store = await this.#openOnce();
    }
    for (const name of [...accounts, ...this.#branches]) this.#store.openAccount(name, traitsOf[this.#history.service]);
  }

  async #openOnce(): Promise<LevelStore> {
    const { durability, isSlow } = this.#history;
    const disk = new LossyDisk(false);
    disk.fails = () => this.#failures.next('sync') !== undefined;
    let now = 0;
    const opening = openFolder(
      this.#folder,
      {
        ...{ clock: createClock(), durability, cacheBytes: this.#history.isSlow ? 64 * 1024 : 0 },
        report: (error) => this.#reports.push(error),
      },
      {
        logOptions: {
          ...{ files: failingFiles(disk, this.#failures), fileBytes: 4096 },
          now: () => (now += isSlow ? 30 : 0),
        },
        makeEngine: async (folder) => {
          const engine = new Level<string, string>(folder, { writeBufferSize: 64 * 1024 }) as unknown as Engine;
          makeFail(engine, this.#failures);
          return engine;
        },
      },
    );
    const store = await this.#inTime('open', opening);
    this.#disk = disk;
    // LevelDB may delete a log at the same time.
    const sizeOf = (name: string) => statSync(join(this.#folder, dataFolder, name), { throwIfNoEntry: false })?.size;
    this.#levelSizes = new Map(levelLogs(this.#folder).map((name) => [name, sizeOf(name) ?? 0]));
    return store;
  }

  /** Fails if a promise never settles. */
  async #inTime<T>(what: string, promise: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Violation(`it hangs: ${what}`)), hangMs);
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Fails if nothing is wrong with the disk. */
  #mayReject(error: unknown): void {
    if (error instanceof Violation) throw error;
    if (this.#isHealthy) throw new Violation('it was rejected although the disk works', { cause: error });
    if (error instanceof StoreError && error.code === 'damaged') {
      throw new Violation('it says that the data is damaged', { cause: error });
    }
  }

  #ask(drawn: Operation): void {
    const operation = this.#named(drawn);
    if (!operation) return;
    const wasHealthy = this.#isHealthy;
    const asked: Asked = {
      ...{ operation, asked: ++this.#moment, ended: Number.POSITIVE_INFINITY, done: Promise.resolve() },
      mayFail: () => !wasHealthy || !this.#isHealthy,
    };
    asked.done = this.#inTime(JSON.stringify(operation), askStore(this.#opened, operation, this.#order))
      .then(
        ({ text, view }) => {
          asked.answer = text;
          asked.shown = view && { ...view, allowed: new Set() };
        },
        (error: unknown) => {
          asked.error = error;
        },
      )
      .then(() => {
        asked.ended = ++this.#moment;
      });
    this.#asked.push(asked);
  }

  /** Gives an operation the name of the last branch; undefined if there is none. */
  #named(operation: Operation): Operation | undefined {
    if (operation.do === 'branch') {
      const name = `branch${this.#branches.length}`;
      this.#branches.push(name);
      this.#branch = name;
      // Others may write to it before it is there.
      this.#opened.openAccount(name, traitsOf[this.#history.service]);
      return { ...operation, account: name };
    }
    if (operation.do === 'freeze' && operation.state.account === 'branch') {
      return this.#branch === undefined ? undefined : { ...operation, state: { account: this.#branch } };
    }
    if (!('account' in operation) || operation.account !== 'branch') return operation;
    return this.#branch === undefined ? undefined : { ...operation, account: this.#branch };
  }

  #read(shown: Shown): void {
    shown.text ??= this.#inTime('reading a view', shown.read()).catch((error: unknown) => {
      this.#mayReject(error);
      return undefined;
    });
    // It is awaited later.
    shown.text.catch(() => {});
  }

  /** Waits for all operations and compares the store with the model. */
  async #settle(): Promise<void> {
    await Promise.all(this.#asked.map(({ done }) => done));
    for (const { error, operation, mayFail } of this.#asked) {
      if (error === undefined) continue;
      if (error instanceof Violation) throw error;
      if (!mayFail())
        throw new Violation(`${JSON.stringify(operation)} was rejected although the disk works`, { cause: error });
    }
    this.#models = this.#explored(
      this.#asked.filter(({ error }) => error === undefined),
      [],
      this.#models,
      this.#past,
    );
    if (this.#models.length === 0) throw new Violation(`no order has these answers: ${this.#described()}`);
    for (const { operation, answer, shown } of this.#asked) {
      if (operation.do === 'end branch' && answer === 'done' && this.#branch === operation.account)
        this.#branch = undefined;
      if (operation.do === 'branch' && answer !== 'done' && this.#branch === operation.account)
        this.#branch = undefined;
      if (shown) this.#shown.push(shown);
    }
    for (const { operation, answer, error } of this.#asked.toSorted((one, other) => one.ended - other.ended)) {
      if (error !== undefined && !isReading(operation)) this.#uncertain.push(operation);
      // The log takes no commit before it has removed what was rejected.
      else if (answer === 'done' && writers.has(operation.do)) this.#uncertain = [];
    }
    for (const shown of this.#shown) await this.#compareShown(shown);
    this.#shown = this.#shown.filter(({ text }) => !text);
    await this.#compare();
    this.#past = this.#distinct(this.#past);
    this.#asked = [];
  }

  #described(): string {
    return this.#asked
      .map(
        ({ operation, answer, error }) =>
          `${short(operation)} -> ${error === undefined ? answer : `rejected: ${error}`}`,
      )
      .join('\n');
  }

  async #compareShown({ text, allowed, close }: Shown): Promise<void> {
    if (!text) return;
    const found = await text;
    await this.#inTime('closing a view', close());
    if (found === undefined || allowed.has(found)) return;
    throw new Violation(
      `a view shows no moment:\n${found}\nallowed:\n${[...allowed].join('\n--\n')}\n${this.#described()}`,
    );
  }

  /** Returns what the store may have after operations: all of these, and any of the others. */
  #explored(
    all: readonly Asked[],
    optional: readonly Operation[] = [],
    from = this.#models,
    passed: StoreModel[] = [],
  ): readonly StoreModel[] {
    const found = new Map<string, StoreModel>();
    const order = this.#order;
    const visit = (
      model: StoreModel,
      left: readonly Asked[],
      others: readonly Operation[],
      seen: readonly (() => void)[],
    ) => {
      passed.push(model);
      if (left.length === 0) {
        for (const see of seen) see();
        found.set(this.#numbers.identify(model), model);
      }
      for (const one of left) {
        if (left.some((other) => other.ended < one.asked)) continue;
        const { model: next, answer } = apply(model, one.operation);
        if (answer !== one.answer) continue;
        const { shown, operation } = one;
        const content = shown && contentOf(model, operation, order);
        const see = () => {
          if (content !== undefined) shown?.allowed.add(content);
        };
        visit(
          next,
          left.filter((other) => other !== one),
          others,
          [...seen, see],
        );
      }
      for (const one of others) {
        visit(
          apply(model, one).model,
          left,
          others.filter((other) => other !== one),
          seen,
        );
      }
    };
    for (const model of from) visit(model, all, optional, []);
    return [...found.values()];
  }

  /** Returns one of those models that no operation tells apart. */
  #distinct(models: readonly StoreModel[]): StoreModel[] {
    return [...new Map(models.map((model) => [this.#numbers.identify(model), model])).values()];
  }

  /** Compares the store with the models, and keeps those that fit. */
  async #compare(): Promise<void> {
    let seen: string;
    try {
      seen = await this.#inTime(
        'reading the store',
        readStore(this.#opened, [...accounts, ...this.#branches], this.#order),
      );
    } catch (error) {
      this.#mayReject(error);
      return;
    }
    const fitting = this.#models.filter((model) => modelText(model, this.#order) === seen);
    if (fitting.length === 0) {
      const expected = [...new Set(this.#models.map((model) => modelText(model, this.#order)))];
      throw new Violation(
        `the store has\n${brief(seen)}\n\nexpected:\n${expected.slice(0, 3).map(brief).join('\n--\n')}\n\nafter\n${this.#described()}`,
      );
    }
    this.#models = fitting.slice(0, 100);
    if (this.#isHealthy && this.#reports.length > 0) {
      throw new Violation('it reports errors although the disk works', { cause: this.#reports[0] });
    }
  }

  /** Ends all failures. From now on everything must succeed. */
  async #workAgain(): Promise<void> {
    this.#failures.end();
    await this.#settle();
    await this.#inTime('swept', this.#opened.swept()).catch((error: unknown) => this.#mayReject(error));
    await this.#inTime('checkWrites', this.#opened.checkWrites());
    this.#isHealthy = true;
    this.#failures.forget();
    this.#reports = [];
    await this.#settle();
    await this.#inTime('swept', this.#opened.swept());
    // The log was synced.
    this.#past = [...this.#models];
  }

  /** Returns the operations that a start may find although they were rejected. */
  #unsure(): readonly Operation[] {
    const failures = this.#failures;
    const isUnsure = failures.count('cut') > 0 || failures.count('create', 'write', 'sync', 'syncFolder') > 1;
    // The first ones: later ones were rejected because what these left could not be removed.
    return isUnsure ? this.#uncertain.slice(0, 3) : [];
  }

  async #reopen(plan: () => void = () => {}): Promise<void> {
    await this.#settle();
    for (const shown of this.#shown) await this.#inTime('closing a view', shown.close());
    this.#shown = [];
    await this.#inTime('close', this.#opened.close());
    this.#store = undefined;
    plan();
    await this.#start(this.#explored([], this.#unsure()));
  }

  /** Kills the process, or cuts the power off. */
  async #kill(random?: () => number): Promise<void> {
    const isPrefix = random && this.#history.durability === 'os';
    // What a power failure leaves is one of many states then, so nothing should be in flight.
    if (isPrefix) await this.#settle();
    const copy = await makeFolder();
    copyAsKilled(this.#folder, copy);
    const ended = this.#asked.filter((one) => one.ended < Number.POSITIVE_INFINITY && one.error === undefined);
    const open = this.#asked.filter((one) => !ended.includes(one)).map(({ operation }) => operation);
    const base = isPrefix ? [...this.#past, ...this.#models] : this.#models;
    const mayHave = [...this.#unsure(), ...open].filter((one) => !isReading(one));
    const models = this.#explored(ended, mayHave, base);
    if (random) {
      this.#disk.lose(join(copy, dataFolder), random);
      for (const name of levelLogs(copy)) damage(join(copy, dataFolder, name), this.#levelSizes.get(name) ?? 0, random);
    }
    this.#failures.end();
    await Promise.all(this.#asked.map(({ done }) => done));
    for (const { shown } of this.#asked) if (shown) this.#shown.push(shown);
    for (const shown of this.#shown) await this.#inTime('closing a view', shown.close());
    this.#shown = [];
    this.#asked = [];
    await this.#inTime('close', this.#opened.close());
    this.#store = undefined;
    await rm(this.#folder, { recursive: true });
    this.#folder = copy;
    // A start may report a torn write.
    this.#isHealthy = false;
    await this.#start(models);
    await this.#workAgain();
  }

  /** Opens the store, which must have one of these models. */
  async #start(models: readonly StoreModel[]): Promise<void> {
    await this.#open();
    this.#models = models.map((model) => ({ ...model, ended: new Set<string>() }));
    this.#past = [...this.#models];
    this.#uncertain = [];
    this.#failures.forget();
    await this.#compare();
    const branches = (await this.#opened.snapshots.branches()).map((one) => one.account);
    this.#branch = branches.at(-1);
  }
}

/** A rule that the store has broken. */
export class Violation extends Error {}

/** Operations that write something whenever they succeed. */
const writers: ReadonlySet<Operation['do']> = new Set(['put', 'insert', 'remove', 'create', 'drop', 'take', 'begin']);

const isReading = (one: Operation) => one.do === 'view' || one.do === 'freeze';

/** Returns what a view of a model shows. */
function contentOf(model: StoreModel, one: Operation, order: RowOrder): string | undefined {
  if (one.do === 'view') return accountsText(model.accounts, order);
  return one.do === 'freeze' ? accountText(stateOf(model, one.state) ?? [], order) : undefined;
}

const brief = (text: string) => text.replaceAll(/(?:m\d+=\d+,?){3,}/g, '(many rows)');
const short = (one: Operation) => brief(JSON.stringify(one)).replaceAll(/("m\d+",?){3,}/g, '(many rows)');
