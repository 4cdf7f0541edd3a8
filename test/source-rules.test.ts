import { describe, expect, it } from 'vitest';
import { sourceFiles } from './support/docs/source-tree.js';

describe('names from outside', () => {
  it('are never cast to a key', () => {
    const cast = /\bas keyof\b|\bas any\b|@ts-(?:ignore|expect-error)/;
    const found = sourceFiles.filter(({ text }) => cast.test(text));
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  it('are never looked up in the headers or the environment, but by names that the source lists', () => {
    const lookup = /(?:headers|environment|env)\[(?!')/;
    const byListedNames = [
      'commands/verbs/run-verb.ts',
      'commands/options/option-sources.ts',
      'commands/exec/trust-files.ts',
      'commands/options/server-options.ts',
      'vitest.ts',
    ];
    const found = sourceFiles.filter(({ text }) => lookup.test(text)).map(({ path }) => path);
    expect(found.sort()).toEqual(byListedNames.sort());
  });
});

describe('commands', () => {
  it('write through output.ts alone, which keeps control characters from terminals', () => {
    const found = sourceFiles.filter(
      ({ path, layer, text }) =>
        layer === 'commands' && path !== 'commands/output.ts' && /std(?:out|err)\??\.write\(|console\./.test(text),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

describe('letter case', () => {
  it('is folded by lowerAscii alone: elsewhere a letter beyond ASCII could become one of A to Z', () => {
    // Commands compare what the user typed and word their messages: neither is a name of the protocol.
    const found = sourceFiles.filter(
      ({ path, layer, text }) =>
        layer !== 'commands' && path !== 'protocol/names.ts' && /\.to(?:Locale)?LowerCase\(/.test(text),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

describe('numbers', () => {
  it('are written without the tables of locales, which take 15 ms to load', () => {
    const found = sourceFiles.filter(({ layer, text }) => layer !== 'explorer' && /\.toLocale|\bIntl\./.test(text));
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

describe('protocol facts', () => {
  it('name dates of versions in protocol/versions.ts alone', () => {
    const found = sourceFiles.filter(
      ({ path, text }) => path !== 'protocol/versions.ts' && /(['"`])\d{4}-\d\d-\d\d\1/.test(text),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

/** What is the process's by nature, so that a module keeps it, with the reason. */
const ofTheProcess: Readonly<Record<string, string>> = {
  'store/event-loop-turn.ts': 'there is one event loop, and all long work of the process shares it',
  'commands/keep-tick-shape.ts': 'there is one queue of ticks, whose shape V8 learns once',
  'commands/output.ts': 'there is one standard output',
  'store/postgres/connection/row-tap.ts': 'each client of the database has one tap, which goes with it',
};

describe('modules', () => {
  // The formatter puts each declaration of a module at the start of a line. What may change is a variable, an empty list, and a
  // map, a set or an object of a class whose type does not say that it is only read.
  const state = [
    /^(?:export )?let \w+/m,
    /^(?:export )?const \w+(?:: (?!readonly)[^=]+)? = \[\]/m,
    /^(?:export )?const \w+(?:: (?!Readonly)[^=]+)? = new (?:Weak)?(?:Map|Set)\b/m,
    /^(?:export )?const \w+(?:: [^=]+)? = new (?!(?:Weak)?(?:Map|Set)\b|RegExp\b|Text(?:En|De)coder\b|Date\b|Intl\b)[A-Z]\w*/m,
  ];

  it('keep no state: what lasts longer than a request belongs to a server', () => {
    const keeping = sourceFiles.filter(({ text }) => state.some((form) => form.test(text))).map(({ path }) => path);
    expect(keeping.filter((path) => !(path in ofTheProcess))).toEqual([]);
    expect(Object.keys(ofTheProcess).filter((path) => !keeping.includes(path))).toEqual([]);
  });

  it.each([
    'let last = 0;',
    'export let last: string | undefined;',
    'const seen: string[] = [];',
    'const known = new Map<string, number>();',
    'const sockets: Set<Socket> = new Set();',
    'const parts = new WeakMap();',
    'const filters = new KnownFilters();',
  ])('would be found with %s', (line) => {
    expect(state.some((form) => form.test(`import 'a';\n\n${line}\n`))).toBe(true);
  });

  it.each([
    'const names: ReadonlySet<string> = new Set();',
    'const none: readonly string[] = [];',
    'const encoder = new TextEncoder();',
    '  let within = 0;',
  ])('may have %s', (line) => {
    expect(state.some((form) => form.test(`import 'a';\n\n${line}\n`))).toBe(false);
  });
});
