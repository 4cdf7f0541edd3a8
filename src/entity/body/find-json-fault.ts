import type { BodyFault } from '../../protocol/rejection-evidence.js';

/**
 * Returns the place of a fault in a body, with the one character there. Nothing else of the body is in the result, because it may
 * contain secrets. `at` counts UTF-16 code units from 0.
 */
export function bodyFaultAt(text: string, at: number, expected: string): BodyFault {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    line++;
    start = end + 1;
  }
  const code = text.codePointAt(at);
  return { expected, place: { at, line, column: at - start + 1 }, found: code === undefined ? 'the end' : named(code) };
}

function named(code: number): string {
  const isShown = code > 0x20 && code !== 0x7f && code < 0x80;
  return isShown ? String.fromCharCode(code) : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Longest searched part of a body. Unit: UTF-16 code units. (Our choice: about 20 milliseconds at most.) */
const searchedUnitsMax = 64 * 1024;

const space = /[ \t\n\r]*/y;
const plain = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The tokens that may come next. */
const words = {
  value: 'a value',
  'first-value': 'a value or ]',
  name: 'a name in double quotes',
  'first-name': 'a name in double quotes or }',
  colon: 'a colon',
  after: { '{': 'a comma or }', '[': 'a comma or ]' },
  end: 'the end',
} as const;

/**
 * Finds the fault in a body that is not one JSON object; undefined if it is beyond the searched part. Called only to explain a
 * rejection. The messages of `JSON.parse` differ between versions of Node, and some have no position.
 *
 * Not jsonc-parser 3.3: of 1,017 faults in bodies it places 220 at the start of their string or word. It calls a control character
 * the end of a string, and has one code for a missing comma and a missing name. The expected tokens would have to be tracked
 * here all the same.
 */
export function findJsonFault(text: string): BodyFault | undefined {
  const searched = text.slice(0, searchedUnitsMax);
  const fault = findFault(searched);
  // A token that the search cuts in two looks like a fault.
  if (text.length > searched.length && (!fault || fault.at > searched.length - longestToken)) return undefined;
  if (fault) return bodyFaultAt(text, fault.at, fault.expected);
  return bodyFaultAt(text, skip(text, startOf(text)), 'one object');
}

/** Longest literal or escape that the end of the searched part may cut. Unit: UTF-16 code units. */
const longestToken = 32;

type Next = Exclude<keyof typeof words, 'end'>;

interface Fault {
  readonly at: number;
  readonly expected: string;
}

/** Returns the first place that is not JSON, or undefined. */
function findFault(text: string): Fault | undefined {
  const open: ('{' | '[')[] = [];
  let next = 'value' as Next;
  for (let at = skip(text, startOf(text)); ; at = skip(text, at)) {
    const sign = text[at];
    const inside = open.at(-1);
    if (next === 'after' && inside === undefined) return sign === undefined ? undefined : { at, expected: words.end };
    const wanted = words[next];
    const fault = { at, expected: typeof wanted === 'string' ? wanted : wanted[inside ?? '{'] };
    const isName = next === 'name' || next === 'first-name';
    const mayClose = next === 'after' || next.startsWith('first');
    if (mayClose && sign === (inside === '{' ? '}' : ']')) {
      open.pop();
      next = 'after';
      at++;
    } else if (next === 'after') {
      if (sign !== ',') return fault;
      next = inside === '{' ? 'name' : 'value';
      at++;
    } else if (next === 'colon') {
      if (sign !== ':') return fault;
      next = 'value';
      at++;
    } else if (sign === '"') {
      const end = endOfString(text, at);
      if (typeof end !== 'number') return end;
      next = isName ? 'colon' : 'after';
      at = end;
    } else if (isName) {
      return fault;
    } else if (sign === '{' || sign === '[') {
      open.push(sign);
      next = sign === '{' ? 'first-name' : 'first-value';
      at++;
    } else {
      const end = endOf(plain, text, at);
      if (end === at) return fault;
      next = 'after';
      at = end;
    }
  }
}

/** Returns the position after a string that begins at `start`, or the fault in it. */
function endOfString(text: string, start: number): number | Fault {
  for (let at = start + 1; ; ) {
    const sign = text[at];
    if (sign === undefined) return { at, expected: 'a double quote at the end of a string' };
    if (sign === '"') return at + 1;
    if (sign < ' ') return { at, expected: 'an escape such as \\n for a control character' };
    const next = sign === '\\' ? endOf(escaped, text, at) : at + 1;
    if (next === at) return { at, expected: 'an escape of JSON' };
    at = next;
  }
}

/** A body may begin with a byte order mark. */
function startOf(text: string): number {
  return text.charCodeAt(0) === 0xfeff ? 1 : 0;
}

function skip(text: string, at: number): number {
  return endOf(space, text, at);
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
