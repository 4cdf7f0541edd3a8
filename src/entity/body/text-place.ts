import type { BodyFault } from '../../protocol/refusal-evidence.js';

/**
 * Returns where a body cannot be read, with the one character that is there. Nothing else of the body is in the result,
 * because it may contain secrets. `at` counts UTF-16 code units from 0.
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
