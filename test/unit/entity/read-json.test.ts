import { describe, expect, it } from 'vitest';
import { readJsonObject } from '../../../src/entity/body/read-json.js';
import { bodyMembersMax, entityBytesMax, nestedUnitsMax } from '../../../src/protocol/limits.js';
import { codeOf } from '../../support/answers/rejection-of.js';

describe('readJsonObject', () => {
  it('keeps order, duplicates and the spelling of numbers', () => {
    expect(readJsonObject('{"b":3.0,"a":"x","b":3,"c":1e3}')).toEqual([
      { name: 'b', kind: 'number', json: '3.0' },
      { name: 'a', kind: 'string', json: '"x"' },
      { name: 'b', kind: 'number', json: '3' },
      { name: 'c', kind: 'number', json: '1e3' },
    ]);
  });

  it('reads escaped names, white space and a byte order mark', () => {
    expect(readJsonObject('\ufeff \r\n{ "\\u0061\\"" :\ttrue , "n" : null }\n')).toEqual([
      { name: 'a"', kind: 'boolean', json: 'true' },
      { name: 'n', kind: 'null', json: 'null' },
    ]);
    expect(readJsonObject('{}')).toEqual([]);
  });

  it.each(['{}', '[]', '[1,{"a":[]},"]"]', '{"a":"}","b":{"c":[null,true,-1.5e3]}}', '{"\\"}":[[[]]]}'])(
    'reads %s as one value',
    (value) => {
      expect(readJsonObject(`{"a":${value},"b":1}`)).toEqual([
        { name: 'a', kind: 'nested', json: value },
        { name: 'b', kind: 'number', json: '1' },
      ]);
    },
  );

  it('reads a value after a byte order mark', () => {
    expect(readJsonObject('\ufeff{"a":[1]}')).toEqual([{ name: 'a', kind: 'nested', json: '[1]' }]);
  });

  it('reads a value of any depth as one', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(readJsonObject(`{"a":${deep}}`)).toEqual([{ name: 'a', kind: 'nested', json: deep }]);
  });

  it('stops in a value that is longer than any that is skipped, whatever follows', () => {
    const list = (units: number) => `[${'1,'.repeat((units - 3) / 2)} 1]`;

    expect(readJsonObject(`{"a":${list(nestedUnitsMax - 1)}}`)).toHaveLength(1);
    expect(codeOf(() => readJsonObject(`{"a":${list(nestedUnitsMax + 3)},"odata.b":1}`))).toBe('InvalidInput');
  });

  it.each(['1', 'null', '"x"', '"\\n"', '[]'])(
    'stops after too many members with the value %s, whatever follows',
    (value) => {
      const members = (count: number) => Array.from({ length: count }, (_, at) => `"odata.${at}":${value}`).join(',');

      expect(readJsonObject(`{${members(bodyMembersMax)}}`)).toHaveLength(bodyMembersMax);
      expect(codeOf(() => readJsonObject(`{${members(bodyMembersMax + 1)}, and no JSON`))).toBe('TooManyProperties');
    },
  );

  it.each(['\\n', '\\"', '\\u554a'])(
    'stops after more escapes %s than an entity has characters, whatever follows',
    (escaped) => {
      const most = entityBytesMax / 2;
      const body = (first: number, second: number) => `{"${escaped.repeat(first)}":"${escaped.repeat(second)}"`;

      expect(readJsonObject(`${body(20, most - 20)}}`)).toHaveLength(1);
      expect(codeOf(() => readJsonObject(`${body(20, most - 19)}, and no JSON`))).toBe('EntityTooLarge');
      expect(readJsonObject(`${body(20, most)}}`, 2 * most)).toHaveLength(1);
    },
  );

  it('reads strings of 500,000 characters with and without escapes', () => {
    for (const unit of ['x', '\\n', '\\u554a']) {
      const json = `"${unit.repeat(500_000)}"`;
      expect(readJsonObject(`{"a":${json}}`)).toEqual([{ name: 'a', kind: 'string', json }]);
    }
  });

  it.each([
    '',
    ' ',
    'null',
    '[]',
    '"a"',
    '{',
    '{"a"}',
    '{"a":}',
    '{"a":1',
    '{"a":1,}',
    '{"a":1 "b":2}',
    '{"a":1}}',
    '{"a":1}{}',
    '{a:1}',
    "{'a':1}",
    '{"a":01}',
    '{"a":1.}',
    '{"a":.5}',
    '{"a":+1}',
    '{"a":0x1}',
    '{"a":NaN}',
    '{"a":True}',
    '{"a":nul}',
    '{"a":"x}',
    '{"a":"\\x"}',
    '{"a":"\\u12g4"}',
    '{"a":"line\nbreak"}',
    '{a":1}',
    '{"a":1,b":2}',
    '{"a":[',
    '{"a":[[]',
    '{"a":["x',
    '{"a":{"b":"\\\\',
    '{"a":[}',
    '{"a":[1,2}',
    '{"a":[}}',
    '{"a":{]}',
    '{"a":{"b"}}',
    '{"a":[1 2]}',
    '{"a":[junk]}',
    '// comment\n{}',
  ])('rejects %j with InvalidInput', (text) => {
    expect(codeOf(() => readJsonObject(text))).toBe('InvalidInput');
  });
});
