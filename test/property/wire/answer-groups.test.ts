import type { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { AnswerGroups } from '../../../src/wire/answers/answer-groups.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** A connection that keeps what it sends. */
function open() {
  const sent: number[] = [];
  const socket = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      sent.push(Number(chunk));
      done();
    },
  }) as Socket;
  return { socket, sent };
}

it('Each connection sends its answers in their order and in their turn', async () => {
  const step = fc.record({ connection: fc.nat({ max: 40 }), isRead: fc.boolean() });
  // Most turns have enough reads for groups.
  const turn = fc.array(step, { maxLength: 80, size: 'max' });
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { maxLength: 8 }), async (turns) => {
      const groups = new AnswerGroups();
      const connections = Array.from({ length: 41 }, open);
      const written: number[][] = connections.map(() => []);
      let answers = 0;
      for (const steps of turns) {
        for (const { connection, isRead } of steps) {
          const { socket } = connections[connection] as ReturnType<typeof open>;
          const answer = answers++;
          written[connection]?.push(answer);
          if (isRead) groups.send(socket, String(answer));
          else socket.write(String(answer));
        }
        await setImmediate();
        expect(connections.map(({ sent }) => sent)).toEqual(written);
      }
    }),
    { numRuns: runs(60) },
  );
});
