import { describe, expect, it } from 'vitest';
import { readJsonString, writeJsonString } from '../../../src/entity/json-text.js';

describe('writing a JSON string', () => {
  it.each([
    ['', '""'],
    ['plain', '"plain"'],
    ['"', '"\\""'],
    ['\\', '"\\\\"'],
    ['\n\r\t\b\f', '"\\n\\r\\t\\b\\f"'],
    ['\u0000\u001f', '"\\u0000\\u001f"'],
  ])('escapes what JSON must have escaped: %j', (text, json) => {
    expect(writeJsonString(text)).toBe(json);
  });

  it("leaves / < > & ' and DEL alone", () => {
    expect(writeJsonString("/<>&'\u007f")).toBe('"/<>&\'\u007f"');
  });

  it.each([
    ['啊', '"\\u554a"'],
    ['é', '"\\u00e9"'],
    ['\u0080', '"\\u0080"'],
    ['😀', '"\\ud83d\\ude00"'],
    ['\ud800', '"\\ud800"'],
    ['\uffff', '"\\uffff"'],
  ])('writes %j beyond ASCII as four lower-case hex digits', (text, json) => {
    expect(writeJsonString(text)).toBe(json);
  });
});

describe('reading a JSON string', () => {
  it.each([
    ['"plain"', 'plain'],
    ['""', ''],
    ['"a\\"b\\\\"', 'a"b\\'],
    ['"\\u554A\\/"', '啊/'],
    ['"raw é"', 'raw é'],
  ])('reads %s', (json, text) => {
    expect(readJsonString(json)).toBe(text);
  });
});
