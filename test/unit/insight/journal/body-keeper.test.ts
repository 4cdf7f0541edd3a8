import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyKeeper, redactBody } from '../../../../src/insight/journal/body-keeper.js';
import { type KeptBodies, keepBodies, keptBodyBytesMax } from '../../../../src/service/observe.js';
import type { Outcome } from '../../../../src/service/outcome.js';
import { runs } from '../../../support/arbitrary/property-runs.js';

function bodiesOf(request: string | Buffer, answer: string | Buffer = '', headers = {}): KeptBodies {
  const body = typeof answer === 'string' ? answer : { bytes: answer };
  const reached = { bytes: Buffer.from(request), received: { headers } };
  return keepBodies({
    reached,
    head: { status: 200, headers: Object.entries(headers).flat() },
    body,
  } as unknown as Outcome);
}

describe('A keeper of bodies', () => {
  it('keeps the beginnings of both bodies of a request', () => {
    const keeper = new BodyKeeper(10);
    keeper.keep(1, bodiesOf('{"A":1}', 'x'.repeat(100_000)));
    keeper.keep(2, bodiesOf(''));
    expect(keeper.read(1)).toMatchObject({ request: '{"A":1}', answer: 'x'.repeat(16 * 1024) });
    expect(keeper.read(2)).toBeUndefined();
  });

  it('keeps the headers of both, but no credential', () => {
    const keeper = new BodyKeeper(1);
    const sent = {
      Accept: 'a: b',
      authorization: 'SharedKey a:c2VjcmV0',
      'Proxy-Authorization': 'Basic c2VjcmV0',
      cookie: 'c2VjcmV0',
      referer: 'http://a/T?sig=c2VjcmV0',
    };
    keeper.keep(1, bodiesOf('', '', sent));
    const shown = Object.entries({ ...sent, authorization: '…', 'Proxy-Authorization': '…', cookie: '…' }).map(
      ([name, value]) => ({ name, value: value.replace('c2VjcmV0', '…') }),
    );
    expect(keeper.read(1)).toMatchObject({ requestHeaders: shown, answerHeaders: shown });
  });

  it('counts the headers among its bytes', () => {
    const keeper = new BodyKeeper(1000);
    for (let seq = 1; seq <= 600; seq++) keeper.keep(seq, bodiesOf('', '', { accept: 'x'.repeat(16 * 1024) }));
    const kept = Array.from({ length: 600 }, (_, at) => at + 1).filter((seq) => keeper.read(seq));
    expect(kept).toHaveLength(255);
  });

  it('keeps no more than its capacity, and no more than 8 MiB', () => {
    const few = new BodyKeeper(2);
    for (const seq of [1, 2, 3]) few.keep(seq, bodiesOf('x'));
    expect([1, 2, 3].map((seq) => few.read(seq)?.request)).toEqual([undefined, 'x', 'x']);

    const full = new BodyKeeper(10_000);
    for (let seq = 1; seq <= 1000; seq++) full.keep(seq, bodiesOf('x'.repeat(20_000), 'y'.repeat(20_000)));
    const kept = Array.from({ length: 1000 }, (_, at) => at + 1).filter((seq) => full.read(seq));
    expect([kept.length, kept[0]]).toEqual([256, 745]);
  });

  it('keeps bytes of its own, because the memory of an answer is used again', () => {
    const page = Buffer.from('the answer');
    const keeper = new BodyKeeper(1);
    keeper.keep(1, bodiesOf('', page));
    page.fill(0);
    expect(keeper.read(1)?.answer).toBe('the answer');
  });

  it('shows a body that is not UTF-8 as text, with a sign for each fault', () => {
    const keeper = new BodyKeeper(1);
    keeper.keep(1, bodiesOf(Buffer.from([0x41, 0xff, 0x00, 0x42])));
    expect(keeper.read(1)?.request).toBe('A\ufffd\0B');
  });
});

describe('A body', () => {
  it.each([
    ['{"Url":"https://a/T?sv=1&sig=c2VjcmV0","B":"kept"}', '{"Url":"https://a/T?sv=1&sig=…","B":"kept"}'],
    [String.raw`{"Url":"https://a/T?\u0073ig\u003dc2VjcmV0"}`, '{"Url":"https://a/T?sig=…"}'],
    [String.raw`{"A":"\u0022 \u005c \u00e9 \n"}`, String.raw`{"A":"\u0022 \u005c \u00e9 \n"}`],
    ['GET http://a/T?%73ig=c2VjcmV0 HTTP/1.1\r\nAccept: x', 'GET http://a/T?%73ig=… HTTP/1.1\r\nAccept: x'],
    ['A: b\r\nAuthorization: SharedKey a:c2VjcmV0\r\nC: d', 'A: b\r\nAuthorization: …\r\nC: d'],
    ['authorization :Bearer c2VjcmV0\n', 'authorization : …\n'],
    ['<Url>https://a?sig=c2VjcmV0</Url>', '<Url>https://a?sig=…</Url>'],
    ['<Url>https://a?sv=1&amp;sig&#61;c2Vj&#43;cmV0</Url>', '<Url>https://a?sv=1&sig=…</Url>'],
    ['<Url>https://a?s&#105;g&#x3D;c2VjcmV0</Url>', '<Url>https://a?sig=…</Url>'],
    ['<Url>https://a?s&amp;amp;#0105;g&#x00003d;c2VjcmV0</Url>', '<Url>https://a?sig=…</Url>'],
    ['<Url>https://a?sig&#37;3dc2VjcmV0&amp;se=1</Url>', '<Url>https://a?sig%3d…&se=1</Url>'],
    ['<Url>https://a?sig&#32;=c2Vj&quot;cmV0</Url>', '<Url>https://a?sig =…</Url>'],
    [String.raw`{"Url":"https://a/T?sig\u0026#61;c2VjcmV0"}`, '{"Url":"https://a/T?sig=…"}'],
    [
      '<A>1 &lt; 2 &amp;&amp; b=&#65;&#233;&#x110000;&#99999999999999999999;</A>',
      '<A>1 &lt; 2 &amp;&amp; b=&#65;&#233;&#x110000;&#99999999999999999999;</A>',
    ],
    ['{"sig":"no parameter"}', '{"sig":"no parameter"}'],
    ['{"A":"Bearer c2VjcmV0 is a token","B":"kept"}', '{"A":"Bearer … is a token","B":"kept"}'],
    ['{"A":"bearer+c2VjcmV0"}', '{"A":"bearer+…"}'],
    [String.raw`{"A":"Bearer\u0020c2VjcmV0"}`, '{"A":"Bearer …"}'],
    ['<A>Bearer&#32;c2VjcmV0</A>', '<A>Bearer …</A>'],
    ['<A>B&#101;arer &#99;2VjcmV0</A>', '<A>Bearer …</A>'],
    ['{"A":"SharedKeyLite name:c2VjcmV0"}', '{"A":"SharedKeyLite …"}'],
    ['{"A":"eyJhbGciOiJub25lIn0.eyJhIjoxfQ.c2VjcmV0"}', '{"A":"…"}'],
    ['<A>&#101;yJhbGciOiJub25lIn0.eyJhIjoxfQ.c2VjcmV0</A>', '<A>…</A>'],
  ])('%s is shown as %s', (body, shown) => {
    expect(redactBody(body)).toBe(shown);
  });

  const key = 'c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcQ==';

  it.each([
    ['a key', key],
    ['an encoded key', key.replaceAll('VjcmV0', '%2Fc2VjcmV').slice(0, 87)],
    ['a token', 'eyJhbGciOiJub25lIn0.eyJzIjoiYzJWamNtVjAifQ.c2VjcmV0c2VjcmV0'],
    ['a header', 'Bearer c2VjcmV0'],
    ['a signature', 'https://a/T?sig=c2VjcmV0'],
  ])('is kept without %s that it was cut within', (_, secret) => {
    const keeper = new BodyKeeper(1);
    for (let at = 1; at < secret.length; at++) {
      const start = '{"A":"x","B":"';
      const before = start + ' '.repeat(keptBodyBytesMax - start.length - at);
      keeper.keep(at, bodiesOf(`${before}${secret}"}`));
      const shown = keeper.read(at)?.request ?? '';
      const left = shown.slice(before.length).replace('…', '');
      expect([
        '',
        'Bearer ',
        'Bearer',
        'https://a/T?sig=',
        'https://a/T?',
        'https://a/T',
        'https://a/',
        'https://a',
        'https://',
        'https:/',
        'https:',
      ]).toContain(left);
    }
  });

  it('never shows the value of a signature, whatever is around it', () => {
    const around = fc.string({
      unit: fc.constantFrom('a', '"', '\\', '%', '&', '#', ';', 'amp;', '?', '=', 's', '\n', ' ', '\u0000', '<'),
    });
    const name = fc.constantFrom(
      'sig=',
      '%73ig=',
      'sig%3D',
      's%2569g%253D',
      String.raw`sig\u003d`,
      String.raw`\u0073ig=`,
      'sig&#61;',
      's&#105;g&#x3d;',
      '&amp;#x73;ig=',
      'Bearer ',
      'bearer&#32;',
      String.raw`Bearer\u0020`,
      'Bearer%20',
      'Bearer%2520',
      'SharedKey a:',
    );
    fc.assert(
      fc.property(around, name, around, (before, sig, after) => {
        expect(redactBody(`${before}?${sig}c2VjcmV0${after}`)).not.toContain('c2VjcmV0');
      }),
      { numRuns: runs(500) },
    );
  });
});
