import { describe, expect, it } from 'vitest';
import { formatOfEarlyError, negotiateFormat, readContentType } from '../../../src/service/negotiate.js';

const code = (name: string) => expect.objectContaining({ code: name }) as Error;

describe('negotiateFormat', () => {
  it.each([
    [undefined, undefined, 'atom'],
    [undefined, '', 'atom'],
    [undefined, '*/*', 'atom'],
    ['', '*/*', 'atom'],
    ['application/json', '*/*', 'minimalmetadata'],
    ['application/json;odata=nometadata', undefined, 'nometadata'],
    [undefined, 'application/json; odata=FullMetadata', 'fullmetadata'],
    [undefined, 'application/json;odata="nometadata"', 'nometadata'],
    [undefined, 'application/json ; odata = fullmetadata; charset=utf-8', 'fullmetadata'],
    [undefined, 'application/json;odata=verbose, application/json', 'minimalmetadata'],
    [undefined, 'text/html, application/json', 'minimalmetadata'],
    [undefined, 'application/xml;q=0.9, */*;q=0.8', 'minimalmetadata'],
    [undefined, 'application/*', 'minimalmetadata'],
  ])('reads $format %o and Accept %o as %s, at old and new versions', (format, accept, expected) => {
    for (const version of ['2014-02-14', '2019-02-02']) {
      expect(negotiateFormat(format, accept, version, true)).toBe(expected);
    }
  });

  it.each(['application/atom+xml', 'application/xml', 'application/atom+xml, */*', 'text/html, application/atom+xml'])(
    'reads Accept %o as Atom before version 2015-12-11, and rejects it from then on',
    (accept) => {
      expect(negotiateFormat(undefined, accept, '2015-12-10', true)).toBe('atom');
      expect(() => negotiateFormat(undefined, accept, '2015-12-11', true)).toThrow(code('AtomFormatNotSupported'));
    },
  );

  it.each([
    ['application/json', '2012-02-12', 'JsonFormatNotSupported'],
    ['application/json;odata=verbose', '2019-02-02', 'JsonVerboseFormatNotSupported'],
    ['application/json;odata=constructor', '2019-02-02', 'MediaTypeNotSupported'],
    ['text/html', '2019-02-02', 'MediaTypeNotSupported'],
    [',', '2019-02-02', 'MediaTypeNotSupported'],
  ])('rejects Accept %o at version %s with %s', (accept, version, expected) => {
    expect(() => negotiateFormat(undefined, accept, version, true)).toThrow(code(expected));
  });

  it.each([
    ['text/html', 'minimalmetadata'],
    ['application/json;odata=verbose', 'minimalmetadata'],
    ['application/atom+xml', 'atom'],
  ])('accepts Accept %o for an operation whose answer has no negotiated format', (accept, expected) => {
    expect(negotiateFormat(undefined, accept, '2019-02-02', false)).toBe(expected);
    expect(formatOfEarlyError(accept)).toBe(expected);
  });
});

describe('readContentType', () => {
  it.each([
    ['application/json', 'odata', '2019-02-02', 'json'],
    ['Application/JSON;odata=nometadata', 'odata', '2014-02-14', 'json'],
    ['application/atom+xml;type=entry', 'odata', '2014-02-14', 'atom'],
    ['anything', 'xml', '2019-02-02', 'json'],
    [undefined, 'multipart', '2019-02-02', 'json'],
  ] as const)('reads %o of a body of %s at version %s as %s', (type, takes, version, expected) => {
    expect(readContentType(type, takes, version)).toBe(expected);
  });

  it.each([
    ['application/atom+xml', '2015-12-11', 'AtomFormatNotSupported'],
    ['application/xml', '2014-02-14', 'MediaTypeNotSupported'],
    [undefined, '2014-02-14', 'InvalidInput'],
    ['', '2019-02-02', 'InvalidInput'],
  ])('rejects %o at version %s with %s', (type, version, expected) => {
    expect(() => readContentType(type, 'odata', version)).toThrow(code(expected));
  });
});
