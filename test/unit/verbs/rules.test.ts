import { describe, expect, it } from 'vitest';
import { commandVerbs, findVerb } from '../../../src/commands/verbs/find-verb.js';
import { parseVerb } from '../../../src/commands/verbs/verb-command.js';
import { startTabularium } from '../../../src/index.js';
import { isOptional, notesOf } from '../../../src/schema.js';
import { allVerbs } from '../../../src/verbs/registry.js';
import { methodOf, routeOf } from '../../../src/verbs/verb-row.js';
import { shellWords } from '../../support/docs/shell-words.js';
import { sourceFiles } from '../../support/docs/source-tree.js';
import { runLine } from '../../support/programs/run-line.js';

describe.each(commandVerbs.map((verb) => [verb.name, verb] as const))('%s', (name, verb) => {
  const { takes, words = [], does, example, changes } = verb;
  const [method, path] = routeOf(verb);
  const [noun = '', action] = name.split(' ');

  it('has a row of the method that its verb stands for', () => {
    const methods: Readonly<Record<string, readonly string[]>> = {
      ...{ list: ['GET'], show: ['GET'], follow: ['GET'], create: ['POST', 'PUT'] },
      // Entities are not named, but found by a filter.
      delete: name === 'entity delete' ? ['POST'] : ['DELETE'],
    };
    expect(methods[action ?? ''] ?? ['GET', 'POST']).toContain(method);
    // A filter may be longer than a URL.
    if (name !== 'explain') expect(method === 'GET').toBe(changes === 'nothing');
  });

  it('has its noun in the plural in its row, and the verb at its end unless the method says it', () => {
    const [, first = ''] = path.split('/');
    expect([`${noun}s`, `${noun}es`, `${noun.slice(0, -1)}ies`, noun]).toContain(first);
    const isSaid = action === undefined || ['list', 'show', 'create', 'delete'].includes(action);
    if (!isSaid) expect(path.endsWith(`/${action}`)).toBe(true);
    expect(methodOf(verb)).toEqual(action === undefined ? [noun] : [first, action]);
  });

  it('names in its path only words that must be there', () => {
    for (const [, field = ''] of path.matchAll(/\{(\w+)\}/g)) {
      expect(words).toContain(field);
      expect(isOptional(takes[field] as never)).toBe(false);
    }
  });

  it('takes words before options, and no word that must be there after one that may be missing', () => {
    const optional = words.map((word) => isOptional(takes[word] as never));
    expect(optional).toEqual([...optional].sort((a, b) => Number(a) - Number(b)));
  });

  it('says what it does, what its fields mean, and has an example that its command parses', () => {
    expect(does).toMatch(/^[A-Z].*\.$/);
    for (const schema of Object.values(takes)) expect(notesOf(schema).description).toMatch(/^.+\.$/);
    const found = findVerb(shellWords(example));
    expect(found?.verb).toBe(verb);
    expect(parseVerb(verb, found?.rest ?? [])).toMatchObject({ urls: [] });
  });

  it('has a help of at most 25 lines of 100 characters', async () => {
    const { code, out } = await runLine(['help', ...name.split(' ')]);
    const lines = out.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines.at(-1)).toBe(`Example: node dist/main.js ${example}`);
    expect(lines.length).toBeLessThanOrEqual(25);
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    for (const field of Object.keys(takes)) if (!words.includes(field)) expect(out).toContain(`--${field}`);
    for (const shared of [...(verb.isLocal ? [] : ['--url']), ...(verb.sends === 'file' ? [] : ['--json']), '--help'])
      expect(out).toContain(shared);
  });
});

describe('The help of the program', () => {
  it('fits one screen, and names every noun', async () => {
    const { code, out } = await runLine(['help']);
    const lines = out.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
    for (const { name } of commandVerbs) expect(out).toContain(`\n  ${name.split(' ')[0]}`);
    expect(lines.slice(3, -2).filter((line) => /^ {2}[a-z-]+ {2,}[A-Z]/.test(line) && !line.endsWith('.'))).toEqual([]);
  });

  it.each(['é', '日本', '.'])('says that there is no command %s', async (word) => {
    const expected = { code: 2, out: '', errors: expect.stringMatching(`^There is no command '${word}'`) };
    expect(await runLine(['help', word])).toEqual(expected);
    expect(await runLine([word])).toEqual(expected);
  });

  it('suggests the command that is like an unknown one', async () => {
    const { code, errors } = await runLine(['help', 'snaphot']);
    expect({ code, errors }).toEqual({ code: 2, errors: "There is no command 'snaphot'. Did you mean 'snapshot'?\n" });
  });

  it('lists the verbs of a noun', async () => {
    const { out } = await runLine(['help', 'snapshots']);
    for (const verb of ['create', 'delete', 'list', 'restore']) expect(out).toContain(`\n  snapshot ${verb}`);
  });
});

it('The description of the rows for programs has every verb', async () => {
  await using server = await startTabularium();
  const answer = await fetch(`${server.url}/_tabularium/openapi.json`);
  const { openapi, paths } = (await answer.json()) as {
    readonly openapi: string;
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary: string }>>>>;
  };
  expect(openapi).toBe('3.1.0');
  for (const verb of allVerbs) {
    const [method, path] = routeOf(verb);
    expect(paths[`/_tabularium${path}`]?.[method.toLowerCase()]).toMatchObject({ summary: verb.does });
  }
  expect(paths['/_tabularium/snapshots/{name}']?.['put']).toMatchObject({
    operationId: 'snapshotCreate',
    parameters: [{ name: 'name', in: 'path', required: true }],
    requestBody: { content: { 'application/json': { schema: { properties: { account: { type: 'string' } } } } } },
    responses: { '200': { content: { 'application/json': { schema: { title: 'SnapshotSummary' } } } } },
  });
});

it('the registry has every verb that a file declares', () => {
  const declared = sourceFiles
    .filter(({ layer }) => layer === 'verbs')
    .flatMap(({ text }) =>
      [...text.matchAll(/^export const \w+ = \w+\(\{\n {2}name: ['"](.+)['"]/gm)].map(([, name]) => name),
    );
  expect(declared.sort()).toEqual(allVerbs.map(({ name }) => name).sort());
});
