import { describe, expect, it } from 'vitest';
import { readJsonString, writeJsonString } from '../../../src/entity/stored/json-text.js';

describe('writeJsonString', () => {
  it.each([
    ['', '""'],
    ['plain', '"plain"'],
    ['"', '"\\""'],
    ['\\', '"\\\\"'],
    ['\n\r\t\b\f', '"\\n\\r\\t\\b\\f"'],
    ['\u0000\u001f', '"\\u0000\\u001f"'],
  ])('escapes quotes, backslashes and control characters: %j', (text, json) => {
    expect(writeJsonString(text)).toBe(json);
  });

  it("does not escape / < > & ' and DEL", () => {
    expect(writeJsonString("/<>&'\u007f")).toBe('"/<>&\'\u007f"');
  });

  it.each([
    ['啊', '"\\u554a"'],
    ['é', '"\\u00e9"'],
    ['\u0080', '"\\u0080"'],
    ['😀', '"\\ud83d\\ude00"'],
    ['\ud800', '"\\ud800"'],
    ['\uffff', '"\\uffff"'],
  ])('escapes %j as four lower-case hex digits for each unit', (text, json) => {
    expect(writeJsonString(text)).toBe(json);
  });
});

describe('readJsonString', () => {
  it.each([
    ['"plain"', 'plain'],
    ['""', ''],
    ['"a\\"b\\\\"', 'a"b\\'],
    ['"\\u554A\\/"', '啊/'],
    ['"raw é"', 'raw é'],
  ])('decodes %s', (json, text) => {
    expect(readJsonString(json)).toBe(text);
  });
});
