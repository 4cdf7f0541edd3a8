import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { RowTap } from '../../../../src/store/postgres/connection/row-tap.js';
import { StampedRows } from '../../../../src/store/postgres/read/stamped-rows.js';
import { textOf } from '../../../../src/store/postgres/schema/stamps.js';

/** Texts in JSON that look like the parts of a body. */
const hostile = fc
  .oneof(fc.string(), fc.constantFrom('"Timestamp":"', ',"Timestamp":"2000"', 'Timestamp', '\'\\"",'))
  .map((text) => JSON.stringify(text));

const body = fc
  .tuple(hostile, hostile, fc.oneof(fc.nat(200), fc.nat(300_000)))
  .map(
    ([key, value, more]) => `"PartitionKey":${key},"RowKey":"r","Timestamp":"","A":${value},"B":"${'x'.repeat(more)}"}`,
  );

/** Ticks of few seconds, some of them without a fraction. */
const ticks = fc
  .tuple(fc.integer({ min: 13_400_000_000, max: 13_400_000_002 }), fc.constantFrom(0, 1, 1_234_500, 9_999_999))
  .map(([second, fraction]) => `${second}${String(fraction).padStart(7, '0')}`);

/** What the database sends: an entity, an entity without its body, or a message of another type. */
const sent = fc.oneof(
  { weight: 8, arbitrary: fc.record({ ticks, body }) },
  { weight: 1, arbitrary: fc.record({ ticks, body: fc.constant(null) }) },
  { weight: 1, arbitrary: fc.record({ notice: fc.string({ maxLength: 20 }) }) },
);

function message(type: string, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const head = Buffer.from(`${type}0000`);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

function column(text: string | null): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(text === null ? -1 : text.length);
  return Buffer.concat([length, Buffer.from(text ?? '')]);
}

const row = (ticksOrId: string, text: string | null) =>
  message('D', Buffer.from([0, 2]), column(ticksOrId), column(text));
const ready = message('Z', Buffer.from('I'));

/** Cuts bytes into chunks of these sizes, again and again. The sizes of many bytes are larger. */
function* chunksOf(bytes: Buffer, sizes: readonly number[]): Iterable<Buffer> {
  const scale = Math.ceil(bytes.length / 2000);
  for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
    const size = scale * (sizes[turn % sizes.length] ?? 1);
    yield Buffer.from(bytes.subarray(at, at + size));
    at += size;
  }
}

/** Returns a client of the database that keeps what it is given to read. */
function openClient(): { readonly client: pg.Client; readonly stream: EventEmitter; readonly read: () => Buffer } {
  const stream = new EventEmitter();
  const read: Buffer[] = [];
  stream.on('data', (bytes: Buffer) => read.push(bytes));
  return {
    client: { connection: { stream } } as unknown as pg.Client,
    stream,
    read: () => Buffer.concat(read.splice(0)),
  };
}

describe('The rows of a statement', () => {
  it('become the texts of their entities, however the socket cuts them; the client gets everything else', () => {
    fc.assert(
      fc.property(
        fc.array(sent, { maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 5 }),
        (all, sizes) => {
          const { client, stream, read } = openClient();
          const isRow = (one: (typeof all)[number]) => 'ticks' in one;
          const others = all.flatMap((one) => ('notice' in one ? [message('N', Buffer.from(one.notice))] : []));
          const begin = message('2');
          const answer = [
            begin,
            row('77', null),
            ...all.map((one) => ('notice' in one ? message('N', Buffer.from(one.notice)) : row(one.ticks, one.body))),
            ready,
          ];
          // Twice on one connection, and between that what the client reads itself.
          for (let turn = 0; turn < 2; turn++) {
            const rows = new StampedRows();
            RowTap.of(client).giveTo(rows);
            for (const chunk of chunksOf(Buffer.concat(answer), sizes)) stream.emit('data', chunk);
            expect(rows.id).toBe('77');
            expect(rows.isIncomplete).toBe(all.some((one) => isRow(one) && one.body === null));
            const texts = all.flatMap((one) =>
              'ticks' in one && one.body !== null ? [textOf(one.body, one.ticks)] : [],
            );
            expect(rows.texts).toEqual(texts);
            expect(read()).toEqual(Buffer.concat([begin, ...others, ready]));
            const own = row('1', 'of the client');
            stream.emit('data', own);
            expect(read()).toEqual(own);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
