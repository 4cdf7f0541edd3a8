import { isOptional, notesOf, requiredOf, type Schema } from '../schema.js';
import { libraryOptions } from '../settings/library-options.js';
import { withoutLinks } from '../settings/settings.js';
import { allVerbs } from '../verbs/registry.js';
import type { AnyVerb } from '../verbs/verb.js';
import { methodOf } from '../verbs/verb-row.js';

/** The parts of Valibot's schemas that this file reads. */
type Parts = Schema & {
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly item?: Schema;
  readonly options?: readonly (string | Schema)[];
  readonly value?: Schema;
};

/** Generates `src/client/calls.ts`: the methods of the library with their comments and types. */
export function writeCalls(): string {
  const types = new Map<string, Schema>();
  const nouns = [...new Set(allVerbs.map((verb) => methodOf(verb)[0]))].sort();
  const members = nouns.flatMap((noun) => {
    const verbs = allVerbs.filter((verb) => methodOf(verb)[0] === noun);
    const [alone, ...methods] = [...verbs].sort((a, b) => a.name.split(' ').length - b.name.split(' ').length);
    if (alone && methods.length === 0 && methodOf(alone).length === 1) return writeMethod(alone, noun, types, '  ');
    const own = verbs.flatMap((verb) => {
      // A noun that is also a verb, such as `undo`, becomes a call signature.
      const [, method = ''] = methodOf(verb);
      return writeMethod(verb, method, types, '    ');
    });
    return [`  readonly ${noun}: {`, ...own, '  };'];
  });
  const interfaces: string[] = [];
  const imports = new Set<string>();
  // Writing a type may add more types.
  for (const [title, schema] of types) {
    const { file, description } = notesOf(schema);
    if (file !== undefined) imports.add(`import type { ${title} } from '../${file}.js';`);
    else interfaces.push(...writeInterface(title, description, schema as Parts, types));
  }
  return [
    '// `npm run grammar` writes this file from src/verbs.',
    '',
    ...[...imports].sort(),
    ...(imports.size > 0 ? [''] : []),
    '/** The operations of an instance, as in its control endpoints and the command line. Errors: Error, in words for the caller. */',
    'export interface ServerCalls {',
    ...members,
    '}',
    ...interfaces,
    '',
  ].join('\n');
}

function writeMethod(verb: AnyVerb, name: string, types: Map<string, Schema>, indent: string): readonly string[] {
  const { does, notes, takes, words = [], answers, lists } = verb;
  const options = Object.entries(takes).filter(([field]) => !words.includes(field));
  const isNeeded = options.some(([, schema]) => !isOptional(schema));
  const fields = options.map(
    ([field, schema]) => `readonly ${field}${isOptional(schema) ? '?' : ''}: ${typeOf(schema, types)}`,
  );
  const parameters = [
    ...words.map((word) => {
      const schema = takes[word] as Schema;
      return `${word}${isOptional(schema) ? '?' : ''}: ${typeOf(schema, types)}`;
    }),
    ...(fields.length === 0 ? [] : [`options${isNeeded ? '' : '?'}: { ${fields.join('; ')} }`]),
  ];
  const comments = [
    does,
    ...(notes === undefined ? [] : [notes]),
    ...[...words.map((word) => [word, takes[word]] as const), ...options].map(
      ([field, schema]) =>
        `@param ${words.includes(field) ? '' : 'options.'}${field} ${notesOf(schema as Schema).description}`,
    ),
  ];
  const listed = (answers as Parts).entries?.[lists ?? ''];
  const answer = typeOf(listed ?? answers, types);
  const result =
    verb.sends === 'file' ? 'AsyncIterable<Uint8Array>' : verb.sends === 'lines' ? `AsyncIterable<${answer}>` : answer;
  return [
    `${indent}/**`,
    ...comments.map((line) => `${indent} * ${line}`),
    `${indent} */`,
    `${indent}${name}(${parameters.join(', ')}): Promise<${result}>;`,
  ];
}

function writeInterface(title: string, description = '', { entries = {} }: Parts, types: Map<string, Schema>) {
  return [
    '',
    `/** ${description} */`,
    `export interface ${title} {`,
    ...Object.entries(entries).flatMap(([field, schema]) => {
      const { description: about } = notesOf(schema);
      return [
        ...(about === undefined ? [] : [`  /** ${about} */`]),
        `  readonly ${field}${isOptional(schema) ? '?' : ''}: ${typeOf(schema, types)};`,
      ];
    }),
    '}',
  ];
}

/** Returns a schema as a TypeScript type, and adds its named types to `types`. */
function typeOf(schema: Schema, types: Map<string, Schema>): string {
  const required = requiredOf(schema) as Parts;
  const { title, file } = notesOf(required);
  if (required.type === 'loose_object' && file === undefined) return 'object';
  if (file === undefined && required.entries && Object.keys(required.entries).length === 0) return 'void';
  if (title !== undefined) {
    if (!types.has(title)) types.set(title, required);
    return title;
  }
  const { type, entries = {}, item, options = [], value } = required;
  if (type === 'picklist') return options.map((one) => `'${one}'`).join(' | ');
  if (type === 'union') return options.map((one) => typeOf(one as Schema, types)).join(' | ');
  if (type === 'array' && item) {
    const of = typeOf(item, types);
    return `readonly ${of.includes(' ') ? `(${of})` : of}[]`;
  }
  if (type === 'record' && value) return `Readonly<Record<string, ${typeOf(value, types)}>>`;
  if (type === 'object' || type === 'strict_object') {
    const fields = Object.entries(entries).map(
      ([field, one]) => `readonly ${field}${isOptional(one) ? '?' : ''}: ${typeOf(one, types)}`,
    );
    return `{ ${fields.join('; ')} }`;
  }
  return type;
}

/** Generates `src/client/rows.ts`: the rows of all verbs. */
export function writeRows(): string {
  const rows = allVerbs.map(({ name, http, words, lists, sends, uploads }) => {
    const parts = [`name: '${name}'`, `http: '${http}'`];
    if (words) parts.push(`words: [${words.map((word) => `'${word}'`).join(', ')}]`);
    if (uploads) parts.push('uploads: true');
    if (sends) parts.push(`sends: '${sends}'`);
    if (lists !== undefined) parts.push(`lists: '${lists}'`);
    return `  { ${parts.join(', ')} },`;
  });
  return [
    "import type { VerbRow } from '../verbs/verb-row.js';",
    '',
    '/** All verbs, for clients that load none of them. `npm run grammar` writes this list. */',
    'export const rows: readonly VerbRow[] = [',
    ...rows,
    '];',
    '',
  ].join('\n');
}

/** Generates `src/library/options.ts`: the options of an instance, from src/settings. */
export function writeOptions(): string {
  const types = new Map<string, Schema>();
  const members = [...libraryOptions].flatMap(([name, { is, does, fallback }]) => [
    `  /** ${does.charAt(0).toUpperCase()}${withoutLinks(does.slice(1))}.${shownDefault(fallback)} */`,
    `  readonly ${name}?: ${typeOf(is, types)};`,
  ]);
  const imports = [...types].map(([title, schema]) => `import type { ${title} } from '../${notesOf(schema).file}.js';`);
  return [
    '// `npm run grammar` writes this file from src/settings.',
    '',
    ...imports.sort(),
    '',
    '/** The options of an instance. By default it keeps its data in memory, listens on a free port and logs nothing. */',
    'export interface TabulariumOptions {',
    ...members,
    '}',
    '',
  ].join('\n');
}

function shownDefault(fallback: unknown): string {
  return fallback === undefined || String(fallback) === '' ? '' : ` The default is ${fallback}.`;
}
