import { isOptional, notesOf, type Schema } from '../../../src/schema.js';
import { wordName } from '../../../src/verbs/check-input.js';
import { allVerbs } from '../../../src/verbs/registry.js';
import type { AnyVerb } from '../../../src/verbs/verb.js';
import { methodOf, routeOf } from '../../../src/verbs/verb-row.js';

/** Returns `docs/verbs.md`: all verbs, as the command line, HTTP and the library call them. */
export function writeReference(): string {
  const verbs = [...allVerbs].sort((a, b) => (a.name < b.name ? -1 : 1));
  const local = verbs.filter(({ isLocal }) => isLocal).map(({ name }) => name);
  return [
    '# Verbs',
    '',
    'Everything that a running server can be asked. The command line, HTTP and the library take the same words in the same order, then',
    'fields of the same names. `npm run write -- reference` writes this page from `src/verbs`.',
    '',
    '- A noun alone, or its plural, reads: `tabularium snapshots` is `tabularium snapshot list`. `--follow` continues with new entries.',
    `- Every command takes \`--help\`, and \`--json\` unless it writes a file. All but \`${local.join('` and `')}\` take \`--url\`, which may be repeated to`,
    '  ask several servers. Without it they ask the server of `TABULARIUM_URL`, else `http://127.0.0.1:10002`.',
    '- Its exit code is 0 for yes, 1 for no, and 2 if it could not be done.',
    '- Over HTTP, the fields that are not in the path are the query of a GET, a DELETE or an upload, and otherwise a JSON object with',
    '  `Content-Type: application/json`. `GET /_tabularium/openapi.json` describes all of them for programs.',
    '',
    '| verb | what it does |',
    '| --- | --- |',
    ...verbs.map(({ name, does }) => `| [${name}](#${name.replaceAll(' ', '-')}) | ${does} |`),
    ...verbs.flatMap(writeVerb),
    '',
  ].join('\n');
}

function writeVerb(verb: AnyVerb): readonly string[] {
  const { name, does, notes, takes, words = [], example } = verb;
  const [method, path] = routeOf(verb);
  const fields = [...words.map((word) => [word, takes[word] as Schema] as const), ...optionsOf(verb)];
  const place = (field: string) =>
    path.includes(`{${field}}`) ? 'path' : method === 'GET' || method === 'DELETE' || verb.uploads ? 'query' : 'body';
  const rows = fields.map(([field, schema]) => {
    const shown = words.includes(field) ? wordName(field, schema) : `--${field}`;
    const needed = isOptional(schema) ? '' : 'Required. ';
    return `| \`${shown}\` | ${place(field)} \`${field}\` | ${needed}${notesOf(schema).description} |`;
  });
  return [
    '',
    `## ${name}`,
    '',
    does,
    ...(notes === undefined ? [] : ['', notes]),
    '',
    [...(verb.isForPage ? [] : [`tabularium ${example}`, calledAs(verb)]), `${method} /_tabularium${path}`]
      .map((call) => `\`${call}\``)
      .join(' · '),
    ...(rows.length === 0 ? [] : ['', '| command line | HTTP | meaning |', '| --- | --- | --- |', ...rows]),
  ];
}

function optionsOf({ takes, words = [] }: AnyVerb): readonly (readonly [field: string, schema: Schema])[] {
  return Object.entries(takes).filter(([field]) => !words.includes(field));
}

/** Returns how the library calls a verb: `snapshots.create(name, { account })`. */
function calledAs(verb: AnyVerb): string {
  const { words = [] } = verb;
  const options = optionsOf(verb).map(([field]) => field);
  const given = [
    ...(verb.uploads ? ['data'] : []),
    ...words,
    ...(options.length === 0 ? [] : [`{ ${options.join(', ')} }`]),
  ];
  return `${methodOf(verb).join('.')}(${given.join(', ')})`;
}
