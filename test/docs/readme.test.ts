import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cosmosEmulatorAccount, developmentAccount } from '../../src/protocol/access/accounts.js';
import { writeConnectionString } from '../../src/protocol/access/connection-string.js';
import { drawChart } from '../bench/report/chart.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`),
  'docker/README.md',
  'grammar/README.md',
];

/** Returns the anchor that a heading gets on a page. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}

function isThere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  if (anchor === undefined) return true;
  return [...read(target).matchAll(/^#+ (.+)$/gm)].some(([, heading = '']) => anchorOf(heading) === anchor);
}

describe('the pages', () => {
  it.each(pages)('%s links to files and headings that exist', (page) => {
    const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const local = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(local.filter((link) => !isThere(page, link))).toEqual([]);
  });

  it.each(pages)('%s names scripts that package.json has', (page) => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...read(page).matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  });
});

describe('A connection string in the documents', () => {
  const shown = [...pages, 'examples/people.go']
    .filter((page) => !page.startsWith('docs/protocol/'))
    .flatMap((page) =>
      [...read(page).matchAll(/DefaultEndpointsProtocol=[^\s"`]+/g)].map(([text]) => [page, text] as const),
    );

  it.each(shown)('of %s is the one that the program prints', (_page, text) => {
    const [, root = ''] = /TableEndpoint=(https?:\/\/[^/;]+)/.exec(text) ?? [];
    expect([developmentAccount, cosmosEmulatorAccount].map((one) => writeConnectionString(root, one))).toContain(text);
  });
});

describe('README.md', () => {
  it('takes at most 120 lines', () => {
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(120);
  });

  it('shows the benchmark picture as the figures of docs/benchmarks.md draw it', () => {
    expect(read('docs/benchmarks.svg'), 'run npm run write -- chart').toBe(drawChart(read('docs/benchmarks.md')));
  });
});

describe('docs/benchmarks.md', () => {
  it.each(['README.md', 'docs/evidence.md'])('alone has dates and figures of the benchmark: %s links to it', (page) => {
    const section = read(page)
      .split(/^#+ /m)
      .find((one) => one.includes('benchmarks.svg'));
    const words = section?.replace(/\]\([^)]*\)|!\[[^\]]*\]/g, '');
    expect(words).not.toMatch(/\b20\d\d\b|\d (?:times|MiB|s)\b/);
    expect(section).toMatch(/\]\((?:docs\/)?benchmarks\.md/);
  });
});
