import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers';

/**
 * How many reads one turn of the event loop must answer so that the next turn sends its answers in groups. Ours: clients with fewer
 * requests under way would have nothing to do until their answers come. Source: docs/benchmarks.md.
 */
const crowd = 16;

/** The largest group. Ours: an answer waits for less than a millisecond. */
const groupMax = 16;

/** The sockets that hold back their answers until the group is full. */
const group: Socket[] = [];

/** What to do after the group is sent. */
const acts: ((sentAt: number) => void)[] = [];

/** The size of a group in this turn. 1: each answer is sent at once. */
let groupSize = 1;

/** How many reads this turn has answered. */
let answers = 0;

/** Whether `endTurn` is going to be called. */
let endsTurn = false;

/**
 * Sends the answer to a read, at once or with others of the same turn of the event loop. A client that has many requests under way
 * is then woken once for a group of answers, not for each one. What is written to the socket later is sent later in any case.
 *
 * Returns whether the system has the answer, or gets it with its group.
 */
export function sendInGroup(socket: Socket, answer: string): boolean {
  answers++;
  if (!endsTurn) {
    endsTurn = true;
    setImmediate(endTurn);
  }
  if (groupSize === 1 || socket.writableLength > 0) {
    socket.write(answer, 'latin1');
    return socket.writableLength === 0;
  }
  socket.cork();
  socket.write(answer, 'latin1');
  group.push(socket);
  if (group.length >= groupSize) sendGroup();
  return true;
}

/**
 * Calls a function when what was written to a socket is sent: now, or after the group with it. It must not throw. It gets the time
 * in milliseconds, as `performance.now()` returns it.
 */
export function whenSent(socket: Socket, act: (sentAt: number) => void): void {
  if (group.includes(socket)) acts.push(act);
  else act(performance.now());
}

/** Sends the answers that are held back. Call it before a socket is destroyed, which would lose them. */
export function sendGroup(): void {
  if (group.length === 0) return;
  for (const socket of group.splice(0)) socket.uncork();
  const sentAt = performance.now();
  for (const act of acts.splice(0)) act(sentAt);
}

function endTurn(): void {
  endsTurn = false;
  sendGroup();
  // Half a turn, so that the clients have work while the other half is answered.
  groupSize = answers < crowd ? 1 : Math.min(groupMax, answers >> 1);
  answers = 0;
}
