import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEntity } from '../../../src/entity/body/read-entity.js';
import { writeEntityText } from '../../../src/entity/stored/entity.js';
import { AtomText } from '../../../src/formats/atom/atom-text.js';
import { decodeElementName } from '../../../src/formats/atom/element-name.js';
import { writeEntity } from '../../../src/formats/atom/write-atom.js';
import { writeEntity as writeJsonEntity } from '../../../src/formats/json/write-json.js';
import type { AtomRepresentation } from '../../../src/formats/representation.js';
import { TableError } from '../../../src/protocol/errors.js';
import { anyText, entityKey, instant, properties, propertyName } from '../../support/arbitrary/arbitraries.js';
import { runs } from '../../support/arbitrary/property-runs.js';

const links = { base: 'http://host:1/a', account: 'a', table: 'T' };
const updated = '2026-01-01T00:00:00Z';
const atom: AtomRepresentation = { level: 'atom', prefer: undefined, links, declaresGeography: false, updated };
const json = { level: 'minimalmetadata', prefer: undefined, links } as const;

/** The values at the limits of each type, as JSON. */
const extremes: readonly (readonly [type: string, value: string])[] = [
  ['Edm.String', '""'],
  ['Edm.String', `"${' '.repeat(100)}"`],
  ['Edm.String', `"${'\\u0000\\r\\n\\t\\ud800\\uffff]]>&<!--'}"`],
  ['Edm.String', `"${'x'.repeat(32_768)}"`],
  ['Edm.Int32', '-2147483648'],
  ['Edm.Int32', '2147483647'],
  ['Edm.Int64', '"-9223372036854775808"'],
  ['Edm.Int64', '"9223372036854775807"'],
  ['Edm.Double', '-0.0'],
  ['Edm.Double', '5E-324'],
  ['Edm.Double', '1.7976931348623157E+308'],
  ['Edm.Double', '"NaN"'],
  ['Edm.Double', '"Infinity"'],
  ['Edm.Double', '"-Infinity"'],
  ['Edm.Boolean', 'false'],
  ['Edm.DateTime', '"1601-01-01T00:00:00Z"'],
  ['Edm.DateTime', '"9999-12-31T23:59:59.9999999Z"'],
  ['Edm.Guid', '"00000000-0000-0000-0000-000000000000"'],
  ['Edm.Binary', '""'],
  ['Edm.Binary', `"${Buffer.alloc(65_536, 255).toString('base64')}"`],
];

describe('An entity in Atom', () => {
  it('has the same keys and properties as in JSON, for any values', () => {
    fc.assert(
      fc.property(entityKey, instant, properties, (key, timestamp, list) => {
        const text = writeEntityText(key, timestamp, list);

        const fromAtom = new AtomText(writeEntity(text, undefined, atom)).readEntity();

        expect(fromAtom).toEqual(readEntity(writeJsonEntity(text, undefined, json)));
        expect(fromAtom).toEqual({ ...key, properties: list });
      }),
      { numRuns: runs(500) },
    );
  });

  it.each(extremes)('has the same value as in JSON for %s %s', (type, value) => {
    const [property] = readEntity(`{"A@odata.type":"${type}","A":${value}}`).properties;
    if (property === undefined) throw new Error('the value is one that the service stores');
    const text = writeEntityText({ partitionKey: 'p', rowKey: 'r' }, '2026-01-01T00:00:00Z', [property]);

    const [read] = new AtomText(writeEntity(text, undefined, atom)).readEntity().properties;

    expect(read).toEqual(property);
    expect(readEntity(writeJsonEntity(text, undefined, json)).properties).toEqual([property]);
  });

  it('has only the selected properties, in the order of JSON', () => {
    const selection = fc.uniqueArray(propertyName, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(entityKey, instant, properties, selection, (key, timestamp, list, wanted) => {
        const text = writeEntityText(key, timestamp, list);
        const names = [...wanted, ...list.slice(0, 2).map(({ name }) => name)]
          .filter((name, at, all) => all.indexOf(name) === at)
          .sort();
        const select = { text: names.join(','), names };

        const inAtom = [...writeEntity(text, select, atom).matchAll(/<d:([^ >/]+)/gu)].map(([, name = '']) =>
          decodeElementName(name),
        );
        const inJson = Object.keys(JSON.parse(writeJsonEntity(text, select, json)) as object);

        expect(inAtom).toEqual(inJson.filter((name) => !name.includes('odata.')));
      }),
      { numRuns: runs(200) },
    );
  });
});

const codes = [
  'InvalidInput',
  'PropertyNameInvalid',
  'DuplicatePropertiesSpecified',
  'OutOfRangeInput',
  'PropertiesNeedValue',
];

/** Reads a body in every way that an operation does. Returns whether it was read or rejected with a code of the service. */
function isReadOrRejected(body: string): boolean {
  const text = new AtomText(body);
  for (const read of [() => text.readEntity(), () => text.readTableName()]) {
    try {
      read();
    } catch (error) {
      if (!(error instanceof TableError) || !codes.includes(error.code)) throw error;
    }
  }
  return true;
}

describe('Hostile XML', () => {
  const good = writeEntity(
    writeEntityText(
      { partitionKey: 'p', rowKey: 'r' },
      '2026-01-01T00:00:00Z',
      readEntity('{"A":1,"B":"x"}').properties,
    ),
    undefined,
    atom,
  );
  const piece = fc.constantFrom(
    ...[
      '<',
      '>',
      '</',
      '/>',
      '&',
      ';',
      '&amp;',
      '&x;',
      '&#0;',
      '&#x110000;',
      '"',
      "'",
      '=',
      ' ',
      ':',
      'xmlns',
      'd:',
      'm:',
    ],
    ...[
      '<!DOCTYPE a [<!ENTITY x "y">]>',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?x',
      '?>',
      '<d:A>',
      '</d:A>',
      '<m:properties>',
    ],
    ...[
      '__proto__',
      'constructor',
      ' xmlns:d=""',
      ' m:type="Edm.Int32"',
      ' m:null="true"',
      '\u0000',
      '\ufeff',
      '\ud800',
    ],
  );

  it('is read, or rejected with a code of the service, if pieces are added to an entry or taken away', () => {
    const change = fc.tuple(fc.nat(good.length), fc.nat(40), fc.array(piece, { maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        let body = good;
        for (const [at, length, added] of changes) body = body.slice(0, at) + added.join('') + body.slice(at + length);
        expect(isReadOrRejected(body)).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is read, or rejected with a code of the service, whatever text it is', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, anyText), { maxLength: 30 }), (pieces) => {
        expect(isReadOrRejected(pieces.join(''))).toBe(true);
        expect(isReadOrRejected(`<a>${pieces.join('')}</a>`)).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('never stores a property under another name or in another namespace than it has', () => {
    fc.assert(
      fc.property(
        propertyName.filter((name) => /^[\u0000-\uffff]*$/u.test(name)),
        fc.webUrl(),
        (name, namespace) => {
          const entry = good.replace('<d:A ', `<x:${name} xmlns:x="${namespace}" `).replace('</d:A>', `</x:${name}>`);
          expect(() => new AtomText(entry).readEntity()).toThrow(
            expect.objectContaining({ code: 'InvalidInput' }) as Error,
          );
        },
      ),
      { numRuns: runs(200) },
    );
  });
});
