import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { AnswerGroups } from '../../../src/wire/answers/answer-groups.js';

/** What the sockets of a test have sent, in order. */
let sent: string[] = [];
let groups: AnswerGroups;
beforeEach(() => {
  groups = new AnswerGroups();
  sent = [];
});

/** Returns a socket that keeps what it sends. */
function openSocket(): Socket {
  return new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      sent.push(chunk);
      done();
    },
  }) as Socket;
}

/** Answers this many reads, each on a socket of its own, as `1`, `2` and so on. */
function answerReads(count: number): Socket[] {
  return Array.from({ length: count }, (_, at) => {
    const socket = openSocket();
    groups.send(socket, String(at + 1));
    return socket;
  });
}

/** Returns this many answers. */
const answers = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1));

/** Ends a turn that has answered this many reads. */
async function endTurn(reads: number): Promise<void> {
  answerReads(reads);
  await setImmediate();
  sent = [];
}

it('After a turn with fewer than 16 reads, each answer is sent at once', async () => {
  await endTurn(15);
  answerReads(1);
  expect(sent).toEqual(answers(1));
});

it('After a turn with 16 reads or more, half as many answers wait for each other', async () => {
  await endTurn(20);
  answerReads(9);
  expect(sent).toEqual([]);
  sent = [];
  groups.send(openSocket(), '10');
  expect(sent).toEqual(answers(10));
});

it('A group has 16 answers at most', async () => {
  await endTurn(1000);
  answerReads(17);
  expect(sent).toEqual(answers(16));
});

it('No answer waits longer than to the end of its turn', async () => {
  await endTurn(20);
  answerReads(3);
  await setImmediate();
  expect(sent).toEqual(answers(3));
});

it('After a turn with few reads, answers are sent at once again', async () => {
  await endTurn(20);
  await endTurn(3);
  answerReads(1);
  expect(sent).toEqual(answers(1));
});

it('What is written to a socket after its answer is sent after it', async () => {
  await endTurn(20);
  const socket = openSocket();
  expect(groups.send(socket, 'first')).toBe(true);
  groups.send(socket, 'second');
  socket.write('third');
  expect(sent).toEqual([]);
  groups.release();
  expect(sent).toEqual(['first', 'second', 'third']);
});

it('An answer after one that the system has not taken does not wait for a group, and is not sent yet', async () => {
  await endTurn(20);
  const socket = new Writable({ write: () => {} }) as Socket;
  socket.write('not taken');
  expect(groups.send(socket, 'next')).toBe(false);
});

it('A socket that ends sends its answer first', async () => {
  await endTurn(20);
  const [socket] = answerReads(1);
  socket?.end('last');
  expect(sent).toEqual(['1', 'last']);
});

it('A socket that is destroyed does not keep the others from sending', async () => {
  await endTurn(20);
  const [first] = answerReads(3);
  first?.destroy();
  await setImmediate();
  expect(sent).toEqual(['2', '3']);
});

it('The answers of one listener do not wait for those of another', async () => {
  await endTurn(20);
  const other = new AnswerGroups();
  other.send(openSocket(), 'other');
  expect(sent).toEqual(['other']);
});
