import { Readable } from 'node:stream';
import { setImmediate as otherWork } from 'node:timers/promises';
import { answerJson, type ControlAnswer } from '../control-row.js';

/** Length at which a piece is sent. Unit: UTF-16 code units. (Our choice: about one socket write.) */
const pieceUnits = 64 * 1024;

/** Longest list written in one piece. (Our choice.) */
const shortList = 50;

/**
 * Returns a response with a JSON object. A long or async list is streamed at the pace of the client, never held in memory as a
 * whole, and yields to other requests between pieces.
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

/** Returns the object that `answerObject` writes, with its async lists as arrays. */
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
