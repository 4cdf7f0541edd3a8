import { StoreUnavailable } from '../../store-unavailable.js';
import { endOfTurn } from '../connection/end-of-turn.js';

/** If more than this waits, further questions are refused at once. */
const waitingMax = 5000;

/** At most this many questions make one statement. */
const groupMax = 500;

interface Waiting<Question, Found> {
  readonly question: Question;
  readonly settle: (found: Found) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Gathers questions of one kind: while statements are under way, the questions that arrive form the next one. That
 * serves twice as many reads as one statement for each, with half the work.
 */
export class Gatherer<Question, Found> {
  readonly #ask: (questions: readonly Question[]) => Promise<readonly Found[]>;
  readonly #lanes: number;
  #waiting: Waiting<Question, Found>[] = [];
  #running = 0;

  /** `ask` answers several questions, in order. At most `lanes` calls of it run at the same time. */
  constructor(lanes: number, ask: (questions: readonly Question[]) => Promise<readonly Found[]>) {
    this.#lanes = lanes;
    this.#ask = ask;
  }

  /** Returns the answer to one question. Errors: StoreUnavailable when too many wait; those of `ask`. */
  ask(question: Question): Promise<Found> {
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(new StoreUnavailable('not-done', 'Too many reads wait for the database.'));
    }
    return new Promise((settle, fail) => {
      this.#waiting.push({ question, settle, fail });
      if (this.#running < this.#lanes) {
        this.#running++;
        void this.#run();
      }
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      await endOfTurn();
      if (this.#waiting.length === 0) break;
      const group = this.#waiting.splice(0, groupMax);
      try {
        const found = await this.#ask(group.map(({ question }) => question));
        for (const [at, { settle }] of group.entries()) settle(found[at] as Found);
      } catch (error) {
        for (const { fail } of group) fail(error);
      }
    }
    this.#running--;
  }
}
