import { describe, expect, it } from 'vitest';
import { decodeText, type Line, readLines, rowUnitsMax } from '../../../src/transfer/read-lines.js';
import { piecesOf } from '../../support/bodies/transfer-tools.js';

async function linesOf(text: string, pieceBytes: number): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const part of readLines(decodeText(piecesOf(Buffer.from(text), pieceBytes)))) lines.push(...part);
  return lines;
}

describe('Lines', () => {
  it.each([1, 2, 3, 1000])('are the same in pieces of %i bytes', async (pieceBytes) => {
    expect(await linesOf('\ufeffa\r\n\n  \nб😀\n\nlast', pieceBytes)).toEqual([
      { number: 1, text: 'a' },
      { number: 4, text: 'б😀' },
      { number: 6, text: 'last' },
    ]);
  });

  it('that are too long have no text, and those after them are read', async () => {
    const text = `a\n${'x'.repeat(rowUnitsMax + 1)}\nb`;
    expect(await linesOf(text, 100_000)).toEqual([
      { number: 1, text: 'a' },
      { number: 2, text: undefined },
      { number: 3, text: 'b' },
    ]);
  });

  it('of the greatest length are read', async () => {
    const [line] = await linesOf('x'.repeat(rowUnitsMax), 100_000);
    expect(line?.text).toHaveLength(rowUnitsMax);
  });
});
