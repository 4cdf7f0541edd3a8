import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importedLayer, sourceFiles, sourceFolder } from '../support/docs/source-tree.js';

describe('ARCHITECTURE.md', () => {
  const page = readFileSync(join(sourceFolder, '../ARCHITECTURE.md'), 'utf8');
  /** The rooms of a part of the page, with their text. */
  const roomsIn = (part: string) =>
    (page.split(`\n## ${part}\n`)[1]?.split('\n## ')[0] ?? '')
      .split(/^### /m)
      .slice(1)
      .map((text) => ({ name: text.slice(0, text.indexOf('\n')), text }));
  const met = roomsIn('Rooms that a request meets');
  const sections = [...met, ...roomsIn('Rooms around it')];
  const small = [...page.matchAll(/^\| ([\w-]+) \| [A-Z].+\. \| .+\. \|$/gm)].map(([, name = '']) => name);
  const listed = [...sections.map(({ name }) => name), ...small];

  /** Whether some file of one layer imports another layer. */
  const imports = (from: string, to: string) =>
    sourceFiles.some((file) => file.layer === from && file.imports.some((one) => importedLayer(file, one) === to));

  it('lists every module once', () => {
    expect([...listed].sort()).toEqual([...new Set(sourceFiles.map(({ layer }) => layer))].sort());
  });

  it('lists the rooms that a request meets first, and they import nothing of the rooms around them', () => {
    const names = met.map(({ name }) => name);
    expect(names.slice(0, 3)).toEqual(['wire', 'tls', 'service']);
    // Small rooms below all others: files, those of users and as Node.js would change them, and pure functions of names and of a
    // database's URL.
    const apart = ['change-file', 'user-files', 'nearest-name', 'database-url'];
    const around = listed.filter((name) => !names.includes(name) && !apart.includes(name));
    const wrong = names.flatMap((from) =>
      around.filter((to) => imports(from, to)).map((to) => `${from} imports ${to}`),
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
    const known = (file: string) => sourceFiles.some(({ path }) => [file, `${name}/${file}`].includes(path));
    expect(named.filter((file) => !known(file) && !file.startsWith('test/'))).toEqual([]);
  });

  it.each(sections)('states an invariant of $name', ({ text }) => {
    expect(text).toMatch(/^\*\*Invariant:\*\* .+\./m);
  });

  it.each(sections)('describes $name in one sentence of its own first', ({ text }) => {
    const [first = ''] = text.slice(text.indexOf('\n')).trim().split('\n\n');
    expect(first).toMatch(/^[A-Z].+\./s);
  });
});
