import { Readable } from 'node:stream';
import { setImmediate as otherWork } from 'node:timers/promises';
import { answerJson, type ControlAnswer } from '../control-row.js';

/** Pieces are sent once they have this length. Unit: UTF-16 code units. (Our choice: as long as what a socket takes at once.) */
const pieceUnits = 64 * 1024;

/** Lists up to this length are written at once. Our choice. */
const shortList = 50;

/**
 * Returns an answer with a JSON object. If it has a long list, or one that comes bit by bit, it is written as fast as the client
 * reads it and is never kept as a whole; other requests are answered between the pieces.
 */
export function answerObject(value: object): ControlAnswer {
  const isShort = Object.values(value).every((one) => !isList(one) || (Array.isArray(one) && one.length <= shortList));
  const answer = answerJson(200, isShort ? value : {});
  return isShort ? answer : { ...answer, body: Readable.from(piecesOf(value), { objectMode: false }) };
}

function isList(value: unknown): value is AsyncIterable<unknown> | readonly unknown[] {
  return Array.isArray(value) || (typeof value === 'object' && value !== null && Symbol.asyncIterator in value);
}

async function* piecesOf(value: object): AsyncGenerator<string> {
  let piece = '';
  let separator = '{';
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    piece += `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (!isList(member)) piece += JSON.stringify(member);
    else {
      let between = '[';
      for await (const item of member) {
        piece += between + JSON.stringify(item);
        between = ',';
        if (piece.length < pieceUnits) continue;
        yield piece;
        piece = '';
        await otherWork();
      }
      piece += between === '[' ? '[]' : ']';
    }
  }
  yield `${piece}}\n`;
}

/** Returns the object that `answerObject` writes: its lists are read to their ends. */
export async function wholeObject(value: object): Promise<object> {
  const whole: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (!isList(member)) whole[name] = member;
    else {
      const items: unknown[] = [];
      for await (const item of member) items.push(item);
      whole[name] = items;
    }
  }
  return whole;
}
