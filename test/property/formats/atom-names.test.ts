import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEntity } from '../../../src/entity/body/read-entity.js';
import { writeEntityText } from '../../../src/entity/stored/entity.js';
import { AtomText } from '../../../src/formats/atom/atom-text.js';
import { decodeElementName, encodeElementName } from '../../../src/formats/atom/element-name.js';
import { writeEntity } from '../../../src/formats/atom/write-atom.js';
import type { AtomRepresentation } from '../../../src/formats/representation.js';
import { isPropertyName } from '../../../src/protocol/names.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const links = { base: 'http://host:1/a', account: 'a', table: 'T' };
const updated = '2026-01-01T00:00:00Z';
const atom: AtomRepresentation = { level: 'atom', prefer: undefined, links, declaresGeography: true, updated };

/** Every character that may be in the name of a property, and those that may begin one. */
const characters = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => isPropertyName(`a${character}`));

/** A name in every edition of XML 1.0, roughly: nothing from before U+00B7 but ASCII, nothing beyond the syllables of Hangul. */
const elementName = /^[_A-Za-z\u00c0-\ud7a3][\w\u00b7-\ud7a3]*$/;

/** Any name of a property, often with what looks like an escape. */
const name = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: fc.nat(characters.length - 1).map((at) => characters[at] ?? '') },
      { weight: 2, arbitrary: fc.constantFrom('_', 'x', '_x', '00AD', '200B', '005F', '0041', '00010437', 'a') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('\u00ad', '\u200b', '\u200d', '\ufeff', '\u00b5', '\u2054', '\u{10437}'),
      },
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((pieces) => pieces.join(''))
  .filter((text) => isPropertyName(text) && !/^(?:PartitionKey|RowKey|Timestamp)$/.test(text));

const value = readEntity('{"A":"x"}').properties.slice(0, 1);

/** Writes an entity with properties of these names in Atom. */
function write(names: readonly string[]): string {
  const properties = names.flatMap((own) => value.map((property) => ({ ...property, name: own })));
  return writeEntity(writeEntityText({ partitionKey: 'p', rowKey: 'r' }, updated, properties), undefined, atom);
}

describe('The names of properties in Atom', () => {
  it('are well-formed and read back, whatever the service accepts as a name', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 4 }), (names) => {
        const { properties } = new AtomText(write(names)).readEntity();

        expect(properties.map((property) => property.name)).toEqual(names);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('are encoded so that they can be decoded, with each character that a name may have', () => {
    const names = characters.filter((character) => character <= '\uffff').map((character) => `a${character}`);

    expect(names.filter((own) => decodeElementName(encodeElementName(own)) !== own)).toEqual([]);
    expect(names.filter((own) => !elementName.test(encodeElementName(own)))).toEqual([]);
  });

  it.each([
    ['age', 'age'],
    ['_x0041_', '_x0041_'],
    ['啊齄丂', '啊齄丂'],
    ['a\u200bb', 'a_x200B_b'],
    ['\u00b5', '_x00B5_'],
    ['\u{10437}', '_x00010437_'],
    ['_x200B_', '_x005F_x200B_'],
    ['_x00AD\u200b', '_x005F_x00AD_x200B_'],
    ['\u3005\u3005', '_x3005_\u3005'],
    ['a_x3005_', 'a_x3005_'],
    ['_x3005_', '_x005F_x3005_'],
  ])('write %j as %j', (own, encoded) => {
    expect(encodeElementName(own)).toBe(encoded);
    expect(decodeElementName(encoded)).toBe(own);
  });

  it.each(['_x0041_', '_x41_', '_xD800', '_xFFFFFFFF_', '_x0000200B_', '_x200b_'])(
    'keep %j as it is, which no name is written as',
    (sent) => {
      expect(decodeElementName(sent)).toBe(sent);
    },
  );
});
