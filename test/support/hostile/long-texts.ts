import fc from 'fast-check';

/** What texts are made of: everything that a reader of some place stops at. */
const pieces = [
  ...[...' \'"%()[]{}<>,;:=&?*/\\|.-+_#@!~$^`09aeZé\ud83d\ude00\ufffd\t\r\n\0'],
  ...[
    '%25',
    '%27',
    '%20',
    '%C3%A9',
    '%',
    "''",
    '\\u0041',
    '\\"',
    '\\ud83d',
    '&lt;',
    '&#1;',
    '&#x1F600;',
    '&a;',
    ']]>',
    '<![CDATA[',
  ],
  ...[
    '<!--',
    '-->',
    '<a>',
    '</a>',
    '<a/>',
    '<a b="c">',
    '<?a?>',
    '\r\n',
    '\r\n\r\n',
    '\n \n',
    '--',
    '--batch_a1e9d677',
    'W/"',
    "datetime'",
  ],
  ...[
    "guid'",
    "X'",
    ' eq ',
    ' and ',
    ' or ',
    'not ',
    'A eq 1',
    "PartitionKey eq 'a'",
    'startswith(',
    'null',
    'true',
    '1e',
    '1E+',
    '0.0',
  ],
  ...[
    'application/json',
    'application/json;odata=',
    '*/*',
    'q=0',
    'odata=verbose',
    'boundary=',
    'boundary="',
    'multipart/mixed;',
    'HTTP/1.1',
  ],
  ...[
    '"a":1,',
    '"a":',
    '"a@odata.type":"Edm.Int64",',
    '[{',
    '{"a":',
    'GET ',
    'Content-Type: ',
    'a: b\r\n',
    'sig=',
    'PartitionKey=',
    'SharedKey ',
  ],
  ...[
    'Bearer ',
    'localhost',
    '127.0.0.1:',
    '2026-01-01T00:00:00',
    '.0000000',
    'Z',
    'AAAA',
    'table=',
    'fault=',
    '503',
    '60s',
  ],
];

const piece = fc.constantFrom(...pieces);
const short = fc.array(piece, { maxLength: 2 }).map((some) => some.join(''));
const unit = fc.array(piece, { minLength: 1, maxLength: 3 }).map((some) => some.join(''));

/** A long run of one pattern, between two others. */
export interface LongText {
  readonly start: string;
  readonly repeated: string;
  readonly end: string;
}

/** Runs of what some reader of a request stops at. */
export const longText: fc.Arbitrary<LongText> = fc.record({ start: short, repeated: unit, end: short });

/** Writes a text of at least this length between its ends. Unit: UTF-16 code units. */
export function writeLongText({ start, repeated, end }: LongText, units: number): string {
  return start + repeated.repeat(Math.ceil(units / repeated.length)) + end;
}
