import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Exception, findRejectedForms } from '../support/docs/plain-english.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The folders whose text is checked, with everything below them. */
const folders = ['docker', 'docs', 'examples', 'grammar', 'src', 'test'];

/** Texts that stay: words of the service, of another program, or in their own meaning. */
const exceptions: readonly Exception[] = [];

const ending = /\.(?:md|ts|mts|mjs|py|go|peggy|sh|yaml|cs|java|rs)$/i;
const skipped =
  /(?:^|\/)(?:node_modules|target|dist|generated|peer)\/|^test\/(?:docs\/plain-english\.test|support\/docs\/plain-english)\.ts$/;

/** Returns the text files of a folder. The folder `.` is checked without the folders below it. */
function filesOf(folder: string): string[] {
  const recursive = folder !== '.';
  return readdirSync(join(root, folder), { recursive, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replaceAll('\\', '/'))
    .filter((path) => !skipped.test(path));
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');
describe('plain English', () => {
  it.each(['.', ...folders])('is written in %s', (folder) => {
    const files = filesOf(folder);
    expect(files).not.toEqual([]);
    expect(files.flatMap((path) => findRejectedForms(path, read(path), exceptions))).toEqual([]);
  });

  it('needs every exception that is listed', () => {
    expect(exceptions.filter(({ path, text }) => !read(path).includes(text))).toEqual([]);
  });

  it.each([
    'lest a client waits',
    'whoever asks',
    'it is opened anew',
    'a key that is no string',
    'keys that are no strings',
    'such requests as carry a body',
    'it goes by and by',
    'it makes good the damage',
    'mends the engine',
    'the rule stands once',
    'the behaviour of serialised values',
    'Unit: bytes. Ours: enough for all.',
    'the sweep goes on',
    'a save is under way',
    'the collector of garbage',
    'they are mostly equal',
    'the server refuses the request',
  ])('rejects: %s', (text) => {
    expect(findRejectedForms('page.md', text, [])).not.toEqual([]);
  });

  it.each([
    'there is no table',
    'it is no longer there',
    'the stopped server refuses connections',
    'types such as Guid',
    'the recommended amendment',
    'the code `anew` in a page',
    '```\nanew\n```',
  ])('accepts: %s', (text) => {
    expect(findRejectedForms('page.md', text, [])).toEqual([]);
  });

  it('accepts an exception in its own file only', () => {
    const exception = { path: 'page.md', text: 'learnt by heart', why: 'a quotation' };
    expect(findRejectedForms('page.md', 'it is learnt by heart', [exception])).toEqual([]);
    expect(findRejectedForms('other.md', 'it is learnt by heart', [exception])).toHaveLength(1);
  });
});
