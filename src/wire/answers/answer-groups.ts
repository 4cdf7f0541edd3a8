import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';

/**
 * How many reads one turn of the event loop must answer so that the next turn sends its answers in groups. (Our choice: clients with
 * fewer requests in flight would have nothing to do until their answers come.) Source: docs/benchmarks.md.
 */
const crowd = 16;

/** The largest group. (Our choice: an answer waits for less than a millisecond.) */
const groupMax = 16;

/**
 * Sends the answers to the reads of one listener, at once or together with others of the same turn of the event loop. A client with
 * many requests in flight then wakes once for a group of answers, not for each. Source of the gain: docs/benchmarks.md.
 */
export class AnswerGroups {
  /** The sockets that hold back their answers until the group is full. */
  readonly #held: Socket[] = [];
  /** The size of a group in this turn. 1: each answer is sent at once. */
  #size = 1;
  /** How many reads this turn has answered. */
  #answers = 0;

  /**
   * Sends an answer, of characters of one byte. Later writes to the socket are sent after it. Returns whether the system has the
   * answer, or receives it with its group.
   */
  send(socket: Socket, answer: string): boolean {
    if (this.#answers++ === 0) setImmediate(this.#endTurn);
    if (this.#size === 1 || socket.writableLength > 0) {
      socket.write(answer, 'latin1');
      return socket.writableLength === 0;
    }
    socket.cork();
    socket.write(answer, 'latin1');
    this.#held.push(socket);
    if (this.#held.length >= this.#size) this.release();
    return true;
  }

  /** Sends the answers that are held back. Call it before destroying a socket, which would lose them. */
  release(): void {
    if (this.#held.length === 0) return;
    for (const socket of this.#held.splice(0)) socket.uncork();
  }

  readonly #endTurn = (): void => {
    this.release();
    // Half a turn, so that the clients have work while the other half is answered.
    this.#size = this.#answers < crowd ? 1 : Math.min(groupMax, this.#answers >> 1);
    this.#answers = 0;
  };
}
