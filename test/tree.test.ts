import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  explorerFiles,
  importedLayer,
  type SourceFile,
  sourceFiles,
  sourceFolder,
} from './support/docs/source-tree.js';

/** The layers that each layer may import: those below it. Source: ARCHITECTURE.md. */
const below: Readonly<Record<string, readonly string[]>> = {
  remembered: [],
  protocol: ['remembered'],
  clock: ['protocol'],
  'database-url': [],
  entity: ['remembered', 'protocol'],
  address: ['remembered', 'protocol', 'entity'],
  auth: ['protocol', 'address'],
  query: ['remembered', 'protocol', 'entity', 'generated'],
  'insight/rules': ['protocol'],
  'insight/queries': ['remembered', 'protocol', 'entity', 'query'],
  store: ['clock', 'protocol', 'entity', 'query'],
  'store/level': ['remembered', 'clock', 'change-file', 'protocol', 'entity', 'query', 'store'],
  'store/postgres': ['remembered', 'database-url', 'protocol', 'entity', 'query', 'store'],
  'store/open-store': ['store', 'store/level', 'store/postgres'],
  operations: ['protocol', 'entity', 'address', 'auth', 'query', 'store'],
  state: ['schema', 'protocol', 'entity', 'auth', 'query', 'store'],
  'insight/why': [
    'nearest-name',
    'protocol',
    'address',
    'auth',
    'query',
    'insight/queries',
    'insight/rules',
    'operations',
  ],
  formats: ['remembered', 'protocol', 'entity', 'query', 'store', 'operations'],
  dialects: ['protocol', 'entity', 'address', 'query', 'store', 'operations', 'formats'],
  transfer: [
    'remembered',
    'change-file',
    'protocol',
    'entity',
    'query',
    'store',
    'operations',
    'insight/why',
    'nearest-name',
    'state',
    'dialects',
  ],
  copy: [
    'auth',
    'change-file',
    'config',
    'database-url',
    'dialects',
    'entity',
    'formats',
    'operations',
    'protocol',
    'query',
    'transfer',
    'user-files',
  ],
  service: [
    'remembered',
    'protocol',
    'entity',
    'address',
    'auth',
    'query',
    'store',
    'operations',
    'formats',
    'dialects',
  ],
  tls: ['change-file', 'protocol', 'user-files'],
  wire: ['protocol', 'address', 'formats', 'dialects', 'store', 'service', 'tls'],
  faults: [
    'schema',
    'settings',
    'remembered',
    'duration',
    'config',
    'protocol',
    'entity',
    'query',
    'service',
    'nearest-name',
    'store',
    'address',
    'formats',
    'operations',
  ],
  traces: ['protocol', 'address', 'service', 'version'],
  verbs: [
    'copy',
    'settings',
    'identity',
    'schema',
    'duration',
    'command-line',
    'nearest-name',
    'insight',
    'insight/queries',
    'protocol',
    'state',
    'clock',
    'config',
    'faults',
    'insight/why',
    'dialects',
    'transfer',
  ],
  mcp: ['command-line', 'config', 'nearest-name', 'schema', 'verbs', 'version'],
  client: ['settings', 'schema', 'config', 'protocol', 'wire', 'faults', 'insight', 'insight/why', 'transfer', 'verbs'],
  control: [
    'settings',
    'mcp',
    'remembered',
    'schema',
    'identity',
    'clock',
    'wire',
    'duration',
    'verbs',
    'entity',
    'faults',
    'package-file',
    'version',
    'protocol',
    'address',
    'auth',
    'dialects',
    'service',
    'config',
    'nearest-name',
    'insight',
    'insight/why',
    'state',
    'transfer',
  ],
  insight: [
    'remembered',
    'schema',
    'protocol',
    'entity',
    'address',
    'auth',
    'query',
    'insight/queries',
    'insight/rules',
    'store',
    'insight/why',
    'service',
  ],
  'command-line': [],
  'node-version': [],
  schema: ['nearest-name'],
  'package-file': [],
  version: ['package-file'],
  duration: [],
  'nearest-name': ['protocol'],
  'change-file': [],
  config: ['protocol'],
  settings: ['schema', 'database-url', 'config', 'protocol', 'tls'],
  'user-files': ['config'],
  identity: [
    'settings',
    'auth',
    'change-file',
    'config',
    'duration',
    'nearest-name',
    'protocol',
    'schema',
    'tls',
    'user-files',
  ],
  log: ['settings', 'protocol', 'config', 'service'],
  server: [
    'settings',
    'identity',
    'clock',
    'tls',
    'wire',
    'config',
    'log',
    'protocol',
    'entity',
    'auth',
    'store/open-store',
    'dialects',
    'service',
    'control',
    'insight',
    'state',
    'transfer',
    'faults',
    'traces',
  ],
  library: [
    'schema',
    'settings',
    'node-version',
    'clock',
    'tls',
    'client',
    'verbs',
    'entity',
    'protocol',
    'config',
    'database-url',
    'server',
    'service',
    'control',
    'insight',
    'log',
    'insight/why',
    'nearest-name',
    'state',
    'faults',
    'transfer',
  ],
  index: ['client', 'library', 'faults', 'transfer'],
  vitest: ['index'],
  commands: [
    'copy',
    'library',
    'settings',
    'mcp',
    'node-version',
    'identity',
    'user-files',
    'clock',
    'tls',
    'wire',
    'schema',
    'client',
    'verbs',
    'command-line',
    'change-file',
    'faults',
    'version',
    'config',
    'database-url',
    'log',
    'server',
    'protocol',
    'entity',
    'auth',
    'query',
    'nearest-name',
    'insight',
    'insight/why',
    'insight/queries',
    'insight/rules',
    'dialects',
    'state',
    'transfer',
    'store',
    'store/level',
    'store/postgres',
    'store/open-store',
    'service',
  ],
  main: ['commands', 'node-version'],
  vscode: ['client', 'protocol', 'wire'],
};

describe('the layers of the source', () => {
  it('are all known', () => {
    expect([...new Set(sourceFiles.map(({ layer }) => layer))].sort()).toEqual(Object.keys(below).sort());
  });

  it('import only layers below them', () => {
    const upward = sourceFiles.flatMap((file) =>
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
    const values = sourceFiles
      .filter(({ layer }) => layer === 'address')
      .flatMap((file) => file.imports.filter((one) => importedLayer(file, one) === 'entity' && !one.typesOnly));
    expect(values).toEqual([]);
  });

  it('operations read no body: only formats do', () => {
    const parsers = /(?:^|\/)(?:read-entity|read-json)\.js$/;
    const readers = sourceFiles
      .filter(({ layer, imports }) => layer === 'operations' && imports.some(({ from }) => parsers.test(from)))
      .map(({ path }) => path);
    expect(readers).toEqual([]);
  });
});

describe('dialects', () => {
  it('are chosen once, by the server: no other code asks which service it is', () => {
    // A comparison with the name of a service, in either order.
    const asks = /[!=]==?\s*'(?:cosmos|storage)'|'(?:cosmos|storage)'\s*[!=]==?|\bdialect(?:\.name)?\s*[!=]==?/g;
    const asking = sourceFiles.flatMap(({ path, text }) =>
      [...text.matchAll(asks)].map(([found]) => `${path}: ${found}`),
    );
    expect(asking).toEqual([]);

    const folder = /(?:dialects|\.)\/cosmos\//;
    const importers = sourceFiles.filter(
      ({ path, imports }) => !path.startsWith('dialects/cosmos/') && imports.some(({ from }) => folder.test(from)),
    );
    expect(importers.map(({ path }) => path)).toEqual(['dialects/load-dialects.ts']);
  });
});

describe('packages', () => {
  const owners: readonly (readonly [RegExp, readonly string[]])[] = [
    [/^@?fastify/, ['wire']],
    [/^node:http$/, ['client', 'commands', 'control', 'vitest', 'vscode', 'wire']],
    [/^(?:level|memory-level|abstract-level)$/, ['store/level']],
    [/^pg(?:-cursor)?$/, ['store/postgres']],
    [/^commander$/, ['commands']],
    [/^valibot$/, ['schema', 'settings', 'store/level']],
    [/^prom-client$/, ['control']],
    [/^pino$/, ['log']],
    [/^vitest(?:\/|$)/, ['vitest']],
    [/^@opentelemetry\//, ['traces']],
    [/^jose$/, ['auth', 'identity']],
    [/^undici$/, ['copy']],
    [/^selfsigned$/, ['tls']],
    [/^cross-spawn$/, ['commands']],
    [/^@valibot\/to-json-schema$/, ['mcp']],
    [/^vscode$/, ['vscode']],
    [/^@modelcontextprotocol\/server(?:\/stdio)?$/, ['mcp']],
  ];

  it.each(owners)('%s are the business of %j alone', (name, layers) => {
    const importers = sourceFiles.filter(({ imports }) => imports.some(({ from }) => name.test(from)));
    expect([...new Set(importers.map(({ layer }) => layer))].sort()).toEqual(layers);
  });

  it('are those of this list, or Node itself', () => {
    const foreign = sourceFiles.flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => !from.startsWith('.') && !from.startsWith('node:'))
        .filter(({ from }) => !owners.some(([name]) => name.test(from)))
        .map(({ from }) => `${path} imports ${from}`),
    );
    expect(foreign).toEqual([]);
  });

  it('are in the bundle, so that a project installs the storage engine and nothing else', () => {
    const { dependencies } = JSON.parse(readFileSync(join(sourceFolder, '../package.json'), 'utf8'));
    // One version exactly: its JavaScript is in the bundle, and its addon is not.
    expect(dependencies).toEqual({ 'classic-level': expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });

  it('abstract-level, which level brings along, gives nothing but types', () => {
    const imports = sourceFiles.flatMap((file) => file.imports.filter(({ from }) => from === 'abstract-level'));
    expect(imports.filter(({ typesOnly }) => !typesOnly)).toEqual([]);
  });
});

describe('the page for browsers', () => {
  const moduleOf = ({ path }: SourceFile) => path.replace(/\.tsx?$/, '');
  /** Returns the files of the page that one of them imports, without the endings of their names. */
  const ownImports = (file: SourceFile) =>
    file.imports
      .filter((one) => importedLayer(file, one) === 'explorer')
      .map(({ from }) => join(dirname(file.path), from).replaceAll('\\', '/').replace(/\.js$/, ''));

  /** The packages whose code is in the page. `package.json` has them for the build only. */
  const packages = /^(?:preact(?:\/hooks)?|@preact\/signals)$/;

  it('imports of the server only protocol facts, its client and types', () => {
    const wrong = explorerFiles.flatMap((file) =>
      file.imports
        .map((one) => ({ ...one, layer: importedLayer(file, one) }))
        .filter(
          ({ layer }) => layer !== undefined && !['explorer', 'protocol', 'command-line', 'client'].includes(layer),
        )
        .filter(({ typesOnly }) => !typesOnly)
        .map(({ layer }) => `${file.path} imports ${layer}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has rooms that import one way: no tab imports another one, and none the shell', () => {
    const tab = ['base', 'wire', 'model', 'parts'];
    const rooms: Readonly<Record<string, readonly string[]>> = {
      ...{ base: [], wire: ['base'], model: ['base', 'wire'], parts: ['base', 'wire', 'model'] },
      ...{ coach: tab, connect: tab, data: tab, requests: tab, state: tab, shell: tab },
      main: [...tab, 'coach', 'connect', 'data', 'requests', 'shell', 'state'],
    };
    const roomOf = (path: string) => path.split('/')[1] ?? '';
    const wrong = explorerFiles.flatMap((file) =>
      ownImports(file)
        .filter(
          (path) => roomOf(path) !== roomOf(moduleOf(file)) && !rooms[roomOf(moduleOf(file))]?.includes(roomOf(path)),
        )
        .map((path) => `${file.path} imports ${path}`),
    );
    expect(wrong).toEqual([]);
  });

  it('has no file of more than 200 lines', () => {
    const folder = join(sourceFolder, 'explorer');
    const names = readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((name) =>
      /\.(?:tsx?|css)$/.test(name),
    );
    expect(names.filter((name) => readFileSync(join(folder, name), 'utf8').split('\n').length > 201)).toEqual([]);
  });

  it('has no circle of files, those included that load on demand', () => {
    let rest = explorerFiles;
    // Without the files that import none of the rest, again and again, circles are left.
    for (let before = Number.POSITIVE_INFINITY; rest.length < before; ) {
      before = rest.length;
      const left = new Set(rest.map(moduleOf));
      rest = rest.filter((file) => ownImports(file).some((path) => left.has(path)));
    }
    expect(rest.map(({ path }) => path)).toEqual([]);
  });

  it('imports no other packages than these, and nothing of Node', () => {
    const imported = explorerFiles.flatMap(({ imports }) => imports.map(({ from }) => from));
    expect(imported.filter((from) => !from.startsWith('.') && !packages.test(from))).toEqual([]);
  });

  it('is not imported by the server', () => {
    const importers = sourceFiles.filter((file) => file.imports.some((one) => importedLayer(file, one) === 'explorer'));
    expect(importers.map(({ path }) => path)).toEqual([]);
  });

  it('writes values as text, never as HTML', () => {
    const asHtml = /dangerouslySetInnerHTML|\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|srcdoc/;
    expect(explorerFiles.filter(({ text }) => asHtml.test(text)).map(({ path }) => path)).toEqual([]);
  });
});

/** The files of more than 400 lines, each with its reason. */
const longerFor: Readonly<Record<string, string>> = {
  'client/calls.ts': 'generated from the verbs',
};

describe.each<[string, readonly SourceFile[]]>([
  ['files of the server', sourceFiles],
  ['files of the page', explorerFiles],
])('%s', (_title, sourceFiles) => {
  it('have at most 400 lines, unless there is a reason for more', () => {
    expect(
      sourceFiles
        .filter(({ path, text }) => !Object.hasOwn(longerFor, path) && text.split('\n').length > 401)
        .map(({ path }) => path),
    ).toEqual([]);
  });

  it('are named for what is in them', () => {
    const vague = /(?:^|[-/])(?:util|helper|manager|common)/;
    expect(sourceFiles.map(({ path }) => path).filter((path) => vague.test(path))).toEqual([]);
    expect(sourceFiles.map(({ path }) => path).filter((path) => !/^[a-z0-9/-]+\.tsx?$/.test(path))).toEqual([]);
  });

  it('say of everything they export what it is', () => {
    const silent = sourceFiles.flatMap(({ path, text }) => {
      const lines = text.split('\n');
      return lines.flatMap((line, at) => {
        const exported =
          /^export (?:default )?(?:async |abstract |declare )*(?:function\*?|class|const|let|interface|type|enum) (\w+)/;
        // A verb and a schema say it in a field of their own, and a type beside a schema is what the schema says.
        const says = /= (?:\w*[vV]erb\(\{|object\()|^export type (\w+) = Shape<typeof \1>/;
        const [, name] = says.test(line) ? [] : (exported.exec(line) ?? []);
        return name !== undefined && !lines[at - 1]?.trimEnd().endsWith('*/') ? [`${path}: ${name}`] : [];
      });
    });
    expect(silent).toEqual([]);
  });
});

describe('files of tests', () => {
  // Sample projects are what a test installs or compiles, not what it imports.
  const others = /^(?:support|bench|clients|kits|windows|starters)\/|^package\/(?:consumer|example-vitest)\//;

  it('are tests; what tests import lies in test/support', () => {
    const tests = fileURLToPath(new URL('.', import.meta.url));
    const stray = readdirSync(tests, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:ts|mjs)$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
      .map((entry) => relative(tests, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .filter((path) => !others.test(path));
    expect(stray).toEqual([]);
  });
});
