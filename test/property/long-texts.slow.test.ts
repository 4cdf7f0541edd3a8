import { describe, expect, it } from 'vitest';
import { parseAddress, parseResource } from '../../src/address/parse-address.js';
import { redactBody } from '../../src/insight/journal/body-keeper.js';
import { writeShape } from '../../src/insight/queries/write-shape.js';
import { filterTree, judgeFilter } from '../../src/insight/why/filter/judge-filter.js';
import { TableError } from '../../src/protocol/errors.js';
import { decodeToken } from '../../src/query/continuation-token.js';
import { readTop } from '../../src/query/query-options.js';
import { parseSelect } from '../../src/query/select.js';
import { growsBeyondLinear } from '../support/measures/processor-time.js';

/** What is repeated: every kind of token, whole and cut off, and characters beyond ASCII and beyond UTF-8. */
const units = [
  ...'f9aé\u0301\ud800\'"()[]{}%&+=<>!,:;-_./\\? \t\n',
  ..."'aé'|''|not |A eq 1 or |and |eq null |startswith(|startswith(a,|not (|a in |2020-01-01T|2020-01-01|12345678-".split(
    '|',
  ),
  ..."datetime'|X'|sig=|s%69g%3d|%25|%28|%2|&amp;|&#0|\\u0041|1e|1L|“|‘|%ff(".split('|'),
];

const filterFrames = [
  '$',
  "A eq '$'",
  "A eq '$' x",
  "A eq X'$'",
  "datetime'$",
  'A $ 1',
  'A eq "$',
  'startswith($',
  '$ in (',
];
const pathFrames = ['$', "T(PartitionKey='$',RowKey='')", 'T($', '%ff$', '$%zz', 'T/$', '(($'];

/** The places of a request whose text is searched. `$` is where the run is. */
const places: readonly (readonly [name: string, frames: readonly string[], run: (text: string) => unknown])[] = [
  ['the filter that is judged', filterFrames, (text) => judgeFilter(text, () => ({ status: 400, message: '' }))],
  ['the shape of a filter', filterFrames, (text) => writeShape(filterTree(text))],
  ['the path', pathFrames, (text) => parseResource(text)],
  ['the path of an operation', pathFrames, (text) => parseResource(text, true)],
  [
    'the target',
    ['/$', '/a/$', '/a/T?$', '/a/T?a=$'],
    (text) => parseAddress({ url: text, host: 'localhost', scheme: 'http' }, new Set(['a'])),
  ],
  ['the host', ['$', 'a.table.$'], (host) => parseAddress({ url: '/T', host, scheme: 'http' }, new Set(['a']))],
  ['$select', ['$', 'A,$'], parseSelect],
  ['$top', ['$', '1$'], readTop],
  ['the continuation', ['$', '1!4!$', '1!$'], decodeToken],
  ['a body that is kept', ['$', 'authorization:$', 'x?sig=$'], redactBody],
];

describe('The time that a long run of one text takes grows no faster than its length', () => {
  it.each(places)(
    'in %s',
    (_name, frames, run) => {
      const runOrReject = (text: string) => {
        try {
          return run(text);
        } catch (error) {
          if (error instanceof TableError) return error;
          throw error;
        }
      };
      for (const frame of frames) {
        for (const unit of units) {
          const textOf = (length: number) => frame.replace('$', () => unit.repeat(length / unit.length));
          expect(growsBeyondLinear(runOrReject, textOf), textOf(10 * unit.length)).toBe(false);
        }
      }
    },
    60_000,
  );
});
