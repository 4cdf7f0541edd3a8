import { lowerAscii } from '../../../protocol/names.js';
import { decodedPath, type SignedText, type SigningMistake } from './signed-text.js';

const letterCase = {
  text: 'The path was signed in a different letter case than sent.',
  advice: 'Sign the path exactly as sent.',
  isAlone: true,
} as const;

/** The mistakes with the form in which the path is signed: its encoding and its letter case. */
export const pathMistakes: readonly SigningMistake[] = [
  {
    cause: 'path-decoded',
    text: 'The path was signed decoded, but sent percent-encoded.',
    advice: 'Sign the path exactly as sent.',
    apply: (right) => withResource(right, decodedPath(right.resource)),
  },
  {
    cause: 'path-encoded',
    text: 'The path was signed percent-encoded, but sent differently.',
    advice: 'Sign the path exactly as sent.',
    apply: (right) => withResource(right, encodeURI(decodedPath(right.resource))),
  },
  {
    cause: 'path-encoded-strictly',
    text: 'The path was signed with quotes and parentheses percent-encoded, but sent without.',
    advice: 'Sign the path exactly as sent.',
    apply: (right) => withResource(right, strictlyEncoded(decodedPath(right.resource))),
  },
  {
    cause: 'path-lower-case',
    text: 'The path was signed in lower case.',
    advice: 'Sign the path exactly as sent.',
    apply: (right) => withResource(right, lowerAscii(right.resource)),
  },
  {
    cause: 'path-upper-case',
    ...letterCase,
    apply: (right) =>
      withResource(
        right,
        right.resource.replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
      ),
  },
  {
    cause: 'table-lower-case',
    ...letterCase,
    // The table ends where the keys begin. They keep their letters.
    apply: (right) => withResource(right, right.resource.replace(/^[^(]+/, lowerAscii)),
  },
  {
    cause: 'escape-letter-case',
    ...letterCase,
    apply: (right) =>
      withResource(
        right,
        right.resource.replace(/%[0-9a-f]{2}/gi, (code) =>
          /[a-f]/.test(code) ? code.toUpperCase() : lowerAscii(code),
        ),
      ),
  },
];

function withResource(right: SignedText, resource: string): SignedText | undefined {
  return resource === right.resource ? undefined : { ...right, resource };
}

function strictlyEncoded(path: string): string {
  return path
    .split('/')
    .map((part) =>
      encodeURIComponent(part).replace(/['()*!]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');
}
