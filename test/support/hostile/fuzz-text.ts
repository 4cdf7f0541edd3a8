import fc from 'fast-check';

/** Names that every JavaScript object inherits. */
export const prototypeNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype'];

/** Any JavaScript string, including lone surrogates. */
export const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom('\ud800', '\udfff', '\u0000', "'", '"', '\\', '/', '#', '?', '%', '+', 'é', '😀'),
  }),
  fc.constantFrom(...prototypeNames, '', ' ', 'null', 'NaN', '1!4!MQ--'),
);

/** Removes, repeats or overwrites a piece of a valid text. */
export function mutated(text: fc.Arbitrary<string>, piece: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  return fc.tuple(text, place, place, fc.oneof(fc.constant(''), piece)).map(([valid, from, to, inserted]) => {
    const [start = 0, end = 0] = [from, to].map((part) => Math.floor(part * valid.length)).sort((a, b) => a - b);
    const cut = valid.slice(start, end);
    return valid.slice(0, start) + (inserted === '' ? cut + cut : inserted) + valid.slice(end);
  });
}

/** Percent-encodes any string. A lone surrogate becomes the bytes that UTF-8 would have for it. */
export function percentEncode(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.charCodeAt(0);
      if (character.length > 1 || code < 0xd800 || code > 0xdfff) return encodeURIComponent(character);
      const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
      return bytes.map((byte) => `%${byte.toString(16)}`).join('');
    })
    .join('');
}
