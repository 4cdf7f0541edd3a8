import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { etagOf, writeEntityText } from '../../../../src/entity/stored/entity.js';
import { filetimeOf } from '../../../../src/store/level/order/ordinal-encoding.js';
import {
  bodyOf,
  createdOf,
  textOf,
  ticksOfEtag,
  timeOf,
  unstamped,
  unstampedTextOf,
} from '../../../../src/store/postgres/schema/stamps.js';

/** Ticks of 100 ns since 1601, from 1970 to 2200, with many zeros at the end. */
const ticks = fc
  .tuple(fc.integer({ min: 11_644_473_600, max: 18_902_505_600 }), fc.integer({ min: 0, max: 9_999_999 }), fc.nat(7))
  .map(([second, tick, zeros]) => {
    const kept = Math.floor(tick / 10 ** zeros) * 10 ** zeros;
    return `${second}${String(kept).padStart(7, '0')}`;
  });

/** Text that looks like the parts of a row. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"Timestamp":"', ',"Timestamp":"2000"', '\'\\"",', 'odata.etag', '\u0000', '\ud800'),
);

const entity = fc.record({
  partitionKey: hostile,
  rowKey: hostile,
  value: hostile.map((text) => JSON.stringify(text).replace(/[\u007f-\uffff]/g, escapeUnit)),
});

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function textWith(
  timestamp: string,
  { partitionKey, rowKey, value }: typeof entity extends fc.Arbitrary<infer T> ? T : never,
) {
  const properties = [{ name: 'Value', type: 'Edm.String', json: value, valueBytes: 0 }] as const;
  return writeEntityText({ partitionKey, rowKey }, timestamp, properties);
}

describe('the text of an entity in the database', () => {
  it('is the text without its stamps, and gets them back exactly', () => {
    fc.assert(
      fc.property(entity, ticks, ticks, (one, first, second) => {
        const body = bodyOf(textWith(timeOf(first), one));
        expect(textOf(body, first)).toBe(textWith(timeOf(first), one));
        expect(textOf(body, second)).toBe(textWith(timeOf(second), one));
        expect(bodyOf(textOf(body, second))).toBe(body);
      }),
    );
  });

  it('is the same for a change that has no stamp yet', () => {
    fc.assert(
      fc.property(entity, (one) => {
        const text = textWith(unstamped, one);
        expect(unstampedTextOf(bodyOf(text))).toBe(text);
        expect(bodyOf(textWith('', one))).toBe(bodyOf(text));
      }),
    );
  });
});

describe('ticks', () => {
  it('are written as the service writes times, and name the same instant', () => {
    fc.assert(
      fc.property(ticks, (one) => {
        const time = timeOf(one);
        expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{0,6}[1-9])?Z$/);
        expect(String(filetimeOf(time))).toBe(one);
        expect(BigInt(`0x${createdOf(one)}`)).toBe(BigInt(one));
      }),
    );
  });

  it('are read from the tags that entities have, and from no other spelling', () => {
    fc.assert(
      fc.property(ticks, entity, (one, of) => {
        const etag = etagOf(textWith(timeOf(one), of));
        expect(ticksOfEtag(etag)).toBe(one);
        expect(ticksOfEtag(etag.replace('Z', '0Z'))).toBeUndefined();
        expect(ticksOfEtag(etag.slice(2))).toBeUndefined();
      }),
    );
    for (const etag of ['*', '', unstamped, `W/"datetime'2020-13-01T00%3A00%3A00Z'"`]) {
      expect(ticksOfEtag(etag), etag).toBeUndefined();
    }
  });
});
