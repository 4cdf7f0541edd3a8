import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

interface TextFile {
  /** Path within the project, with slashes. */
  readonly path: string;
  readonly text: string;
}

function filesOf(folder: string, ending: RegExp): TextFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name) && !/generated|node_modules/.test(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(root, path).replaceAll('\\', '/'), text: readFileSync(path, 'utf8') }));
}

const reference = filesOf('docs/protocol', /\.md$/);
const sources = [...filesOf('src', /\.ts$/), ...filesOf('grammar', /\.peggy$/), ...filesOf('test', /\.(?:ts|mjs)$/)];

/** The sections of the reference, as `operations 8.11`, and its files, as `operations`. */
const sections = new Set(
  reference.flatMap(({ path, text }) => {
    const file = basename(path, '.md');
    const numbers = [...text.matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map(([, number]) => `${file} ${number}`);
    return [file, ...numbers];
  }),
);

/** The ids of the acceptance cases, such as T24, which begin the rows of their tables. */
const cases = new Set(
  reference
    .filter(({ path }) => path.endsWith('/acceptance-cases.md'))
    .flatMap(({ text }) => [...text.matchAll(/^\| ([A-Z]{1,2}\d+) \|/gm)].map(([, id]) => id ?? '')),
);

/** What may be cited apart from the reference and the files of this project: the descriptions of foreign formats. */
const elsewhere = [
  /^RFC \d+(?:, (?:section|appendix) [\d.A-Z]+)?$/,
  /^LevelDB, [\w/.]+$/,
  /^Snappy, [\w.]+$/,
  /^Namespaces in XML 1\.0, section \d$/,
  /^XML Schema, section [\d.]+$/,
  /^XML 1\.0, fourth edition, appendix B$/,
  /^POSIX, [\w/.]+$/,
  /^Windows, Naming Files$/,
  /^(?:CockroachDB|LevelDB), issue \d+$/,
  /^OpenTelemetry, [\w ]+$/,
  /^XML 1\.0, section [\d.]+$/,
  /^Wing and Gong, ".+"$/,
  /^mulberry32, public domain$/,
  /^ARCHITECTURE\.md$/,
  /^Table design guide, "[^"]+"$/,
  /^Scalability and performance targets for Table storage$/,
];

/** What each `Source:` of a file cites, between semicolons, up to the end of its sentence. */
function citationsOf({ text }: TextFile): string[] {
  const prose = text.replace(/\n\s*(?:\*|\/\/)(?!\/) ?/g, ' ');
  return [...prose.matchAll(/\bSource: (.+?)\.(?= |\n|$)/gm)].flatMap(([, cited = '']) => cited.split('; '));
}

function resolves(citation: string): boolean {
  const [, section = citation] = /^(.+?)(?:,? steps? [\d.]+(?:(?: to |, | and )[\d.]+)*)?$/.exec(citation) ?? [];
  if (/^(?:docs|test|grammar|src)\/[\w/.-]+$/.test(citation)) return existsSync(join(root, citation));
  return sections.has(section) || cases.has(citation) || elsewhere.some((form) => form.test(citation));
}

describe('Evidence', () => {
  it('names a section or a case of docs/protocol in every Source line', () => {
    const broken = sources.flatMap((file) =>
      citationsOf(file)
        .filter((citation) => !resolves(citation))
        .map((citation) => `${file.path}: ${citation}`),
    );
    expect(broken).toEqual([]);
  });

  it('ends every Source line with a full stop, so that it can be read', () => {
    const count = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;
    const endless = sources.filter((file) => {
      const read = file.text.replace(/\n\s*(?:\*|\/\/)(?!\/) ?/g, ' ');
      return count(read, /\bSource: /g) !== count(read, /\bSource: .+?\.(?= |\n|$)/gm);
    });
    expect(endless.map(({ path }) => path)).toEqual([]);
  });

  it('has a row in acceptance-cases.md for every id in the title of a test', () => {
    const unknown = sources
      .filter(({ path }) => /^test\/(?:conformance|divergences)\//.test(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/(['"`])([A-Z]{1,2}\d+)(?: and ([A-Z]{1,2}\d+))? [^'"`]/g)]
          .flatMap(([, , first, second]) => [first, second])
          .filter((id) => id !== undefined && !cases.has(id))
          .map((id) => `${path}: ${id}`),
      );
    expect(unknown).toEqual([]);
  });

  it('has a test for every acceptance case, or says in its row why not', () => {
    const titles = sources.filter(({ path }) => /^test\/.*\.test\.ts$/.test(path)).map(({ text }) => text);
    const rows = reference.flatMap(({ text }) => [...text.matchAll(/^\| ([A-Z]{1,2}\d+) \|(.*)$/gm)]);
    const untested = rows
      .filter(([, id, row = '']) => !row.includes('(not tested:') && !titles.some((text) => mentions(text, id ?? '')))
      .map(([, id]) => id);
    expect(untested).toEqual([]);
  });
});

function mentions(text: string, id: string): boolean {
  return new RegExp(`\\b${id}\\b`).test(text);
}
