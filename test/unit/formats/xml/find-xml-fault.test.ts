import { describe, expect, it } from 'vitest';
import { findXmlFault } from '../../../../src/formats/xml/parse-xml.js';

/** Shows a fault on one line. */
function shown(text: string): string | undefined {
  const fault = findXmlFault(text);
  return fault && `${fault.place.at} = ${fault.place.line}:${fault.place.column} ${fault.found}; ${fault.expected}`;
}

describe('The fault of a body that is not XML', () => {
  it.each([
    ['<a>\n  <b></c>\n</a>', '9 = 2:6 <; a tag with a valid name, and an end tag for it'],
    ['\ufeff\n<a>\n<b></c>\n</a>', '9 = 3:4 <; a tag with a valid name, and an end tag for it'],
    ['<a x=1></a>', expect.stringMatching(/; attributes as name="value", each once$/)],
    ['<!DOCTYPE a><a/>', '0 = 1:1 <; no document type'],
    ['<a>\n<b', '6 = 2:3 the end; >'],
    ['<a/> after', '5 = 1:6 a; one root element'],
    ['', '0 = 1:1 the end; one root element'],
    ['hunter2', expect.not.stringContaining('hunter2')],
  ])('%j is at %s', (text, place) => {
    expect(shown(text)).toEqual(place);
  });

  it('is not sought in a body that has too much markup', () => {
    expect(findXmlFault(`<a>${'<b/>'.repeat(5000)}</c>`)).toBeUndefined();
  });
});
