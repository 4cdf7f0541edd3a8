import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonFault } from '../../../src/entity/body/find-json-fault.js';
import { runs } from '../../support/arbitrary/property-runs.js';

/** Shows a fault on one line. */
function shown(text: string): string | undefined {
  const fault = findJsonFault(text);
  return fault && `${fault.place.line}:${fault.place.column} ${fault.found}; ${fault.expected}`;
}

describe('The fault of a body that is not JSON', () => {
  it.each([
    ['', '1:1 the end; a value'],
    ['{', '1:2 the end; a name in double quotes or }'],
    ['{"a":1', '1:7 the end; a comma or }'],
    ['{"a" 1}', '1:6 1; a colon'],
    ['{"a":}', '1:6 }; a value'],
    ['{"a":1,}', '1:8 }; a name in double quotes'],
    ["{'a':1}", "1:2 '; a name in double quotes or }"],
    ['{"a":[1,]}', '1:9 ]; a value'],
    ['{"a":[1}}', '1:8 }; a comma or ]'],
    ['{"a":True}', '1:6 T; a value'],
    ['{"a":01}', '1:7 1; a comma or }'],
    ['{"a":1}{', '1:8 {; the end'],
    ['{"a":"x', '1:8 the end; a double quote at the end of a string'],
    ['{"a":"x\n"}', '1:8 U+000A; an escape such as \\n for a control character'],
    ['{"a":"\\x"}', '1:7 \\; an escape of JSON'],
    ['{\r\n  "a": é}', '2:8 U+00E9; a value'],
    ['\ufeff{"a":?}', '1:7 ?; a value'],
    [' [1]', '1:2 [; one object'],
  ])('%j is at %s', (text, place) => {
    expect(shown(text)).toBe(place);
  });

  it('is not told if it is beyond what is searched', () => {
    expect(findJsonFault(`{"a":"${'x'.repeat(70_000)}",}`)).toBeUndefined();
    expect(findJsonFault(`{"a":"${'x'.repeat(60_000)}",}`)?.place.at).toBe(60_008);
  });

  it('is where JSON.parse fails', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.nat(3), fc.string({ maxLength: 2 }))
      .map(
        ([json, at, length, put]) =>
          json.slice(0, at % (json.length + 1)) + put + json.slice((at % (json.length + 1)) + length),
      );
    fc.assert(
      fc.property(broken, (text) => {
        const fault = findJsonFault(text);
        expect(fault?.expected === 'one object').toBe(isJson(text));
        if (isJson(text)) return;
        expect(fault?.place.at).toBeLessThanOrEqual(text.length);
        expect(fault?.found.length).toBeLessThanOrEqual('U+10FFFF'.length);
      }),
      { numRuns: runs(300) },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
