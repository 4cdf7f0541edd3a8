import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../src', import.meta.url));

interface Import {
  readonly from: string;
  readonly typesOnly: boolean;
}

interface SourceFile {
  /** Path within src, with slashes. */
  readonly path: string;
  /** The folder within src; a file directly in src is a layer of its own, and so are `nested`. */
  readonly layer: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

/** Layers within the folder of another: an engine of the store, and the factory that chooses the engine. */
const nested = ['store/level', 'store/open-store'];

const files: readonly SourceFile[] = readdirSync(source, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.d.ts'))
  .map((entry) => {
    const path = relative(source, join(entry.parentPath, entry.name)).replaceAll('\\', '/');
    const text = readFileSync(join(source, path), 'utf8');
    return { path, layer: layerOf(path), text, imports: importsOf(text) };
  });

function layerOf(path: string): string {
  const within = nested.find((layer) => path === `${layer}.ts` || path.startsWith(`${layer}/`));
  if (within !== undefined) return within;
  return path.includes('/') ? (path.split('/')[0] ?? '') : basename(path, '.ts');
}

function importsOf(text: string): Import[] {
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm);
  return [...statements].map(([, type, from, loaded]) => ({
    from: from ?? loaded ?? '',
    typesOnly: type !== undefined,
  }));
}

/** The layer of a relative import, or undefined where a package is imported. */
function importedLayer({ path }: SourceFile, { from }: Import): string | undefined {
  if (!from.startsWith('.')) return undefined;
  return layerOf(join(dirname(path), from).replaceAll('\\', '/').replace(/\.js$/, '.ts'));
}

/** The package of an import that is not relative: its name without what lies within. */
function packageOf(from: string): string {
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The layers that each layer may import: those below it. Source: ARCHITECTURE.md. */
const below: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  entity: ['protocol'],
  address: ['protocol', 'entity', 'generated'],
  auth: ['protocol', 'address'],
  query: ['protocol', 'entity', 'generated'],
  store: ['protocol', 'entity', 'query'],
  'store/level': ['protocol', 'entity', 'query', 'store'],
  'store/open-store': ['entity', 'store', 'store/level'],
  operations: ['protocol', 'entity', 'address', 'auth', 'query', 'store'],
  dialects: ['protocol', 'entity'],
  http: ['protocol', 'entity', 'address', 'auth', 'query', 'store', 'operations', 'dialects'],
  control: ['protocol', 'address', 'dialects', 'http'],
  config: ['protocol', 'http'],
  log: ['config', 'http'],
  server: ['config', 'log', 'entity', 'auth', 'store/open-store', 'http', 'control'],
  library: ['config', 'server', 'http', 'commands'],
  index: ['library'],
  vitest: ['index'],
  commands: [
    'config',
    'log',
    'server',
    'protocol',
    'entity',
    'auth',
    'store',
    'store/level',
    'store/open-store',
    'http',
  ],
  main: ['commands'],
};

describe('the layers of the source', () => {
  it('are all known', () => {
    expect([...new Set(files.map(({ layer }) => layer))].sort()).toEqual(Object.keys(below).sort());
  });

  it('import only layers below them', () => {
    const upward = files.flatMap((file) =>
      file.imports
        .map((one) => importedLayer(file, one))
        .filter((layer) => layer !== undefined && layer !== file.layer && !below[file.layer]?.includes(layer))
        .map((layer) => `${file.path} imports ${layer}`),
    );
    expect(upward).toEqual([]);
  });

  it('have no circle', () => {
    const reaches = (layer: string, seen: ReadonlySet<string>): boolean =>
      (below[layer] ?? []).some((next) => seen.has(next) || reaches(next, new Set([...seen, next])));
    for (const layer of Object.keys(below)) expect(reaches(layer, new Set([layer])), layer).toBe(false);
  });

  it('address takes nothing but types from entity', () => {
    const values = files
      .filter(({ layer }) => layer === 'address')
      .flatMap((file) => file.imports.filter((one) => importedLayer(file, one) === 'entity' && !one.typesOnly));
    expect(values).toEqual([]);
  });

  it('config takes nothing but types from http', () => {
    const values = files
      .filter(({ layer }) => layer === 'config')
      .flatMap((file) => file.imports.filter((one) => importedLayer(file, one) === 'http' && !one.typesOnly));
    expect(values).toEqual([]);
  });
});

describe('packages', () => {
  it.each([
    [/^@?fastify/, ['http']],
    [/^(?:level|memory-level|abstract-level|classic-level)$/, ['store/level', 'store/open-store']],
    [/^commander$/, ['commands']],
    [/^prom-client$/, ['control']],
    [/^pino$/, ['library', 'log', 'server']],
    [/^vitest(?:\/|$)/, ['vitest']],
  ])('%s are the business of %j alone', (name, layers) => {
    const importers = files.filter(({ imports }) => imports.some(({ from }) => name.test(from)));
    expect([...new Set(importers.map(({ layer }) => layer))].sort()).toEqual(layers);
  });

  it('are those that package.json names, or Node itself', () => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(source, '../package.json'), 'utf8'));
    const known = [...Object.keys({ ...dependencies, ...peerDependencies }), 'abstract-level'];
    const foreign = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => !from.startsWith('.') && !from.startsWith('node:') && !known.includes(packageOf(from)))
        .map(({ from }) => `${path} imports ${from}`),
    );
    expect(foreign).toEqual([]);
  });

  it('abstract-level, which level brings along, gives nothing but types', () => {
    const imports = files.flatMap((file) => file.imports.filter(({ from }) => from === 'abstract-level'));
    expect(imports.filter(({ typesOnly }) => !typesOnly)).toEqual([]);
  });
});

/**
 * The files that may declare a type with any string as a key, and why no name from outside is looked up in it. Every
 * other table of names is a Map or a Set: a plain object also answers to `constructor` and `__proto__`.
 */
const openRecords: Readonly<Record<string, string>> = {
  'commands/exec.ts': 'variables of a child process: written, never looked up',
  'commands/option-sources.ts':
    'flags as the command line parser returns them: looked up by the names in the option table',
  'commands/server-options.ts':
    'flags as the command line parser returns them: looked up by the names in the option table',
  'http/log-request.ts': 'headers of a log line: written, never looked up',
  'operations/read-xml.ts': 'nodes of the XML parser: their entries are listed, never looked up',
};

describe('names from outside', () => {
  // The compiler lets a plain object be indexed with any string in two ways only: its type says so, or a cast does.
  it('are never looked up in a type that takes any string as a key', () => {
    const open = /(?<!satisfies )Record<(?:string|number|PropertyKey)\b|\[\w+: string\]/;
    const found = files.filter(({ text }) => open.test(text)).map(({ path }) => path);
    expect(found.filter((path) => !(path in openRecords))).toEqual([]);
  });

  it('are never cast to a key', () => {
    const cast = /\bas keyof\b|\bas any\b|@ts-(?:ignore|expect-error)/;
    const found = files.filter(({ text }) => cast.test(text));
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  it('are never looked up in the headers or the environment, but by names that the source lists', () => {
    const lookup = /(?:headers|environment|env)\[(?!')/;
    const byListedNames = ['commands/option-sources.ts', 'commands/server-options.ts', 'http/exchange.ts', 'vitest.ts'];
    const found = files.filter(({ path, text }) => !byListedNames.includes(path) && lookup.test(text));
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

describe('letter case', () => {
  it('is folded by lowerAscii alone: elsewhere a letter beyond ASCII could become one of A to Z', () => {
    // Commands compare what the user typed and word their messages: neither is a name of the protocol.
    const found = files.filter(
      ({ path, layer, text }) =>
        layer !== 'commands' && path !== 'protocol/names.ts' && /\.to(?:Locale)?LowerCase\(/.test(text),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

describe('protocol facts', () => {
  it('name dates of versions in protocol/versions.ts alone', () => {
    const found = files.filter(
      ({ path, text }) => path !== 'protocol/versions.ts' && /(['"`])\d{4}-\d\d-\d\d\1/.test(text),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});

describe('files', () => {
  it('have at most 300 lines', () => {
    expect(files.filter(({ text }) => text.split('\n').length > 301).map(({ path }) => path)).toEqual([]);
  });

  it('are named for what is in them', () => {
    const vague = /(?:^|[-/])(?:util|helper|manager|common)/;
    expect(files.map(({ path }) => path).filter((path) => vague.test(path))).toEqual([]);
    expect(files.map(({ path }) => path).filter((path) => !/^[a-z0-9/-]+\.ts$/.test(path))).toEqual([]);
  });

  it('say of everything they export what it is', () => {
    const silent = files.flatMap(({ path, text }) => {
      const lines = text.split('\n');
      return lines.flatMap((line, at) => {
        const exported =
          /^export (?:async |abstract |declare )*(?:function\*?|class|const|let|interface|type|enum) (\w+)/;
        const [, name] = exported.exec(line) ?? [];
        return name !== undefined && !lines[at - 1]?.trimEnd().endsWith('*/') ? [`${path}: ${name}`] : [];
      });
    });
    expect(silent).toEqual([]);
  });
});

describe('files of tests', () => {
  // Sample projects are what a test installs or compiles, not what it imports.
  const others = /^(?:support|bench)\/|^package\/(?:consumer|example-vitest)\//;

  it('are tests; what tests import lies in test/support', () => {
    const tests = fileURLToPath(new URL('.', import.meta.url));
    const stray = readdirSync(tests, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|mjs)$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
      .map((entry) => relative(tests, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .filter((path) => !others.test(path));
    expect(stray).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(join(source, '../ARCHITECTURE.md'), 'utf8');
  const sections = (page.split('\n## Modules\n')[1]?.split('\n## ')[0] ?? '')
    .split(/^### /m)
    .slice(1)
    .map((text) => ({ name: text.slice(0, text.indexOf('\n')), text }));
  const listed = sections.map(({ name }) => name);

  /** Whether some file of one layer imports another layer. */
  const imports = (from: string, to: string) =>
    files.some((file) => file.layer === from && file.imports.some((one) => importedLayer(file, one) === to));

  it('lists every module once', () => {
    expect([...listed].sort()).toEqual([...new Set(files.map(({ layer }) => layer))].sort());
  });

  it('lists a module after every module that it imports', () => {
    const wrong = listed.flatMap((from, at) =>
      listed
        .slice(at + 1)
        .filter((to) => imports(from, to))
        .map((to) => `${from} imports ${to}, which is listed later`),
    );
    expect(wrong).toEqual([]);
  });

  it('draws an arrow between two modules only where there is an import', () => {
    const drawing = /```mermaid\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    const labels = new Map([...drawing.matchAll(/(\w+)\["([^"]+)"\]/g)].map(([, id, label]) => [id, label]));
    const nameOf = (id = '') => labels.get(id) ?? id;
    const arrows = [...drawing.matchAll(/^ *(\w+)\S* (?:-- .+ )?--> (\w+)/gm)]
      .map(([, from, to]) => [nameOf(from), nameOf(to)] as const)
      .filter(([from, to]) => listed.includes(from) && listed.includes(to));
    expect(arrows.length).toBeGreaterThan(8);
    expect(arrows.filter(([from, to]) => !imports(from, to))).toEqual([]);
  });

  it.each(sections)('names only files that exist in $name', ({ name, text }) => {
    const named = [...text.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => file);
    const known = (file: string) => files.some(({ path }) => [file, `${name}/${file}`].includes(path));
    expect(named.filter((file) => !known(file) && !file.startsWith('test/'))).toEqual([]);
  });

  it.each(sections)('describes $name in one sentence of its own first', ({ text }) => {
    const [first = ''] = text.slice(text.indexOf('\n')).trim().split('\n\n');
    expect(first).toMatch(/^[A-Z].+\./s);
  });
});
