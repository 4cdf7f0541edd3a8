import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readValue } from '../../../src/entity/body/read-value.js';
import { writeJsonString } from '../../../src/entity/stored/json-text.js';
import { codeOf, rejectionOf } from '../../support/answers/rejection-of.js';
import { sentProperties } from '../../support/bodies/sent-properties.js';

/** Returns type, canonical JSON and size of a value that is sent with this annotation, or without any. */
function read(value: string, type?: string) {
  const [property] = sentProperties(`${type === undefined ? '' : `"x@odata.type":"${type}",`}"x":${value}`);
  return [property?.type, property?.json, property?.valueBytes];
}

const unreadable = { code: 'InvalidInput', message: 'An error occurred while processing this request.' };

describe('readValue without an annotation', () => {
  it.each([
    ['"x"', 'Edm.String', '"x"', 6],
    ['""', 'Edm.String', '""', 4],
    ['"2020-01-01T00:00:00Z"', 'Edm.String', '"2020-01-01T00:00:00Z"', 44],
    ['true', 'Edm.Boolean', 'true', 1],
    ['false', 'Edm.Boolean', 'false', 1],
    ['0', 'Edm.Int32', '0', 4],
    ['-0', 'Edm.Int32', '0', 4],
    ['2147483647', 'Edm.Int32', '2147483647', 4],
    ['-2147483648', 'Edm.Int32', '-2147483648', 4],
    ['2147483648', 'Edm.Double', '2147483648.0', 8],
    ['-2147483649', 'Edm.Double', '-2147483649.0', 8],
    ['9223372036854775808000', 'Edm.Double', '9.2233720368547758E+21', 8],
    ['3.0', 'Edm.Double', '3.0', 8],
    ['-0.0', 'Edm.Double', '-0.0', 8],
    ['1e3', 'Edm.Double', '1000.0', 8],
    ['1E-400', 'Edm.Double', '0.0', 8],
  ])('reads %s as %s', (value, type, json, bytes) => {
    expect(read(value)).toEqual([type, json, bytes]);
  });

  it('rejects a number that is too large for a double', () => {
    expect(rejectionOf(() => read('1e400'))).toEqual(unreadable);
  });
});

describe('readValue with an annotation', () => {
  it.each([
    ['"x"', 'Edm.String', '"x"', 6],
    ['"啊\\u0041\\/"', 'Edm.String', '"\\u554aA/"', 10],
    ['true', 'Edm.Boolean', 'true', 1],
    ['"True"', 'Edm.Boolean', 'true', 1],
    ['5', 'Edm.Int32', '5', 4],
    ['" 5\\t"', 'Edm.Int32', '5', 4],
    ['"-5"', 'Edm.Int32', '-5', 4],
    ['-2147483648', 'Edm.Int32', '-2147483648', 4],
    ['"123"', 'Edm.Int64', '"123"', 8],
    ['"-9223372036854775808"', 'Edm.Int64', '"-9223372036854775808"', 8],
    ['"9223372036854775807"', 'Edm.Int64', '"9223372036854775807"', 8],
    ['"0012"', 'Edm.Int64', '"12"', 8],
    ['"-0"', 'Edm.Int64', '"0"', 8],
    ['" 12\\n"', 'Edm.Int64', '"12"', 8],
    [`"${'0'.repeat(63)}5"`, 'Edm.Int64', '"5"', 8],
    ['12', 'Edm.Int64', '"12"', 8],
    ['5', 'Edm.Double', '5.0', 8],
    ['2147483648', 'Edm.Double', '2147483648.0', 8],
    ['"10"', 'Edm.Double', '10.0', 8],
    ['"1.23456789012346e+24"', 'Edm.Double', '1.23456789012346E+24', 8],
    ['"-.5"', 'Edm.Double', '-0.5', 8],
    ['".25"', 'Edm.Double', '0.25', 8],
    ['"+1."', 'Edm.Double', '1.0', 8],
    ['" 1.5 "', 'Edm.Double', '1.5', 8],
    ['"INF"', 'Edm.Double', '"Infinity"', 8],
    ['"-INF"', 'Edm.Double', '"-Infinity"', 8],
    ['"NaN"', 'Edm.Double', '"NaN"', 8],
    ['"Infinity"', 'Edm.Double', '"Infinity"', 8],
    ['"-Infinity"', 'Edm.Double', '"-Infinity"', 8],
    ['"1973-10-04T00:00:00.000000Z"', 'Edm.DateTime', '"1973-10-04T00:00:00Z"', 8],
    ['"2026-11-21T01:00:00+01:00"', 'Edm.DateTime', '"2026-11-21T00:00:00Z"', 8],
    [String.raw`"2026-11-21T00:00:00\u005a"`, 'Edm.DateTime', '"2026-11-21T00:00:00Z"', 8],
    ['"c9da6455-213d-42c9-9a79-3e9149a57833"', 'Edm.Guid', '"c9da6455-213d-42c9-9a79-3e9149a57833"', 16],
    ['"C9DA6455-213D-42C9-9A79-3E9149A57833"', 'Edm.Guid', '"c9da6455-213d-42c9-9a79-3e9149a57833"', 16],
    ['"{c9da6455-213d-42c9-9a79-3e9149a57833}"', 'Edm.Guid', '"c9da6455-213d-42c9-9a79-3e9149a57833"', 16],
    ['"c9da6455213d42c99a793e9149a57833"', 'Edm.Guid', '"c9da6455-213d-42c9-9a79-3e9149a57833"', 16],
    ['"YmluYXJ5"', 'Edm.Binary', '"YmluYXJ5"', 10],
    ['""', 'Edm.Binary', '""', 4],
    ['"AQ=="', 'Edm.Binary', '"AQ=="', 5],
    ['"AQI="', 'Edm.Binary', '"AQI="', 6],
    ['"AR=="', 'Edm.Binary', '"AQ=="', 5],
    ['" A\\tQ\\r\\n=="', 'Edm.Binary', '"AQ=="', 5],
  ])('reads %s as %s in canonical form: %s', (value, type, json, bytes) => {
    expect(read(value, type)).toEqual([type, json, bytes]);
  });

  it.each([
    ['5', 'Edm.String'],
    ['true', 'Edm.String'],
    ['1', 'Edm.Boolean'],
    ['"yes"', 'Edm.Boolean'],
    ['2147483648', 'Edm.Int32'],
    ['3.0', 'Edm.Int32'],
    ['true', 'Edm.Int32'],
    ['"abc"', 'Edm.Int32'],
    ['"9223372036854775808"', 'Edm.Int64'],
    ['"-9223372036854775809"', 'Edm.Int64'],
    ['"1.0"', 'Edm.Int64'],
    ['"+"', 'Edm.Int64'],
    [`"${'0'.repeat(64)}5"`, 'Edm.Int64'],
    ['""', 'Edm.Int64'],
    ['2147483648', 'Edm.Int64'],
    ['false', 'Edm.Int64'],
    ['""', 'Edm.Double'],
    ['"x"', 'Edm.Double'],
    ['"1,5"', 'Edm.Double'],
    ['"nan"', 'Edm.Double'],
    ['"xNaN"', 'Edm.Double'],
    ['"NaNx"', 'Edm.Double'],
    ['"xINF"', 'Edm.Double'],
    ['"INFx"', 'Edm.Double'],
    ['"+INF"', 'Edm.Double'],
    ['"0x10"', 'Edm.Double'],
    ['"1e400"', 'Edm.Double'],
    ['true', 'Edm.Double'],
    ['5', 'Edm.DateTime'],
    ['"yesterday"', 'Edm.DateTime'],
    ['"2023-02-29"', 'Edm.DateTime'],
    ['5', 'Edm.Guid'],
    ['"c9da6455-213d-42c9-9a79-3e9149a5783"', 'Edm.Guid'],
    ['"c9da6455-213d-42c9-9a79-3e9149a5783g"', 'Edm.Guid'],
    ['"{c9da6455-213d-42c9-9a79-3e9149a57833"', 'Edm.Guid'],
    ['"AQ"', 'Edm.Binary'],
    ['"A==="', 'Edm.Binary'],
    ['"A!=="', 'Edm.Binary'],
    ['"A=AA"', 'Edm.Binary'],
    ['5', 'Edm.Binary'],
  ])('rejects %s as %s', (value, type) => {
    expect(rejectionOf(() => read(value, type))).toEqual(unreadable);
  });

  it('rejects a DateTime before 1601 and prints property and date as the service does', () => {
    expect(rejectionOf(() => read('"0001-01-01T00:00:00Z"', 'Edm.DateTime'))).toEqual({
      code: 'OutOfRangeInput',
      message: "The 'x' parameter of value '01/01/0001 00:00:00' is out of range.",
    });
  });

  it.each(['Edm.Int32', 'Edm.Int64', 'Edm.Double', 'Edm.DateTime', 'Edm.Guid', 'Edm.Binary'])(
    'rejects 500,000 digits that are not a valid %s, in linear time',
    (type) => {
      expect(codeOf(() => read(`"${'1'.repeat(500_000)}!"`, type))).toBe('InvalidInput');
    },
  );
});

describe('A string that is longer than the service accepts', () => {
  const longest = 8;
  const unit = fc.constantFrom('x', 'é', '中', '"', '\\', '\n', '\ud800');
  const text = fc.array(unit, { maxLength: 2 * longest }).map((units) => units.join(''));

  it('keeps its exact size, and is not encoded; any other is encoded', () => {
    fc.assert(
      fc.property(text, fc.boolean(), (sent, isEscaped) => {
        const json = isEscaped ? writeJsonString(sent) : JSON.stringify(sent);
        const read = readValue({ name: 'x', kind: 'string', json }, undefined, longest);

        const stored = sent.length > longest ? json : writeJsonString(sent);
        expect(read).toEqual({ name: 'x', type: 'Edm.String', json: stored, valueBytes: 2 * sent.length + 4 });
      }),
    );
  });
});
