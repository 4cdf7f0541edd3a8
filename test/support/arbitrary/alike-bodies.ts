import fc from 'fast-check';
import { edmTypes } from '../../../src/protocol/values/edm.js';

/** Values of every type: canonical, in other spellings, out of range, and what is not a value. */
const values = [
  '"text"',
  '""',
  '"é"',
  String.raw`"a\"b"`,
  String.raw`"\u0041"`,
  '0',
  '-7',
  '007',
  '2147483648',
  '1.5',
  '1e400',
  '2E3',
  'true',
  'false',
  'null',
  'nul',
  '{}',
  '[1]',
  '"5"',
  '"9223372036854775808"',
  '"NaN"',
  '"2026-11-26T08:00:00Z"',
  '"2026-11-26T08:00:00.0Z"',
  '"1500-01-01T00:00:00Z"',
  '"c9da6455-213d-42c9-9a79-3e9149a57833"',
  '"C9DA6455-213D-42C9-9A79-3E9149A57833"',
  '"AAAA"',
  '"A"',
  '"',
  '',
];

const types = [...edmTypes, 'Edm.None'];

const member = fc.record({
  name: fc.constantFrom(
    'PartitionKey',
    'RowKey',
    'a',
    'b',
    'é',
    String.raw`odata.\"`,
    'no-name',
    'Timestamp',
    'odata.etag',
    'odata.[(*+?^$|.',
    'x@y',
  ),
  type: fc.option(fc.constantFrom(...types), { nil: undefined }),
  isTypeLast: fc.boolean(),
  space: fc.constantFrom('', ' ', '\n'),
});

const row = fc.array(
  fc.constantFrom(...values, ...Array(8).fill('"plain"'), ...Array(8).fill('12'), ...Array(4).fill('1.50')),
  {
    minLength: 5,
    maxLength: 5,
  },
);

/**
 * Texts of bodies with the same members, each with other values: usually good ones, so that some bodies can be read. Some have
 * another name of the same length.
 */
export const alikeBodies: fc.Arbitrary<readonly string[]> = fc
  .tuple(
    fc.uniqueArray(member, { maxLength: 5, selector: ({ name, space }) => name + space.length }),
    fc.array(fc.tuple(row, fc.boolean()), { minLength: 3, maxLength: 7 }),
    fc.constantFrom('}', ' }', '}}', ''),
  )
  .map(([members, rows, end]) =>
    rows.map(([row, isOther]) => {
      const texts = members.map(({ name, type, isTypeLast, space }, at) => {
        const value = `"${name}"${space}:${space}${row[at]}`;
        const annotation = `"${name}@odata.type":"${type}"`;
        if (type === undefined) return value;
        return isTypeLast ? `${value},${annotation}` : `${annotation},${value}`;
      });
      const body = `{${texts.join(',')}${end}`;
      return isOther ? body.replaceAll('"a"', '"c"') : body;
    }),
  );
