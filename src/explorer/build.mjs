// Builds the page for browsers: src/explorer becomes dist/explorer. Each file has its hash in its name and is stored
// only compressed: every browser accepts that, and the package stays small.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const source = import.meta.dirname;
const target = join(source, '../../dist/explorer');
const address = '/_tabularium/explorer';
const contentTypes = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const { outputFiles, metafile } = await build({
  entryPoints: [join(source, 'main.tsx'), join(source, 'style/page.css')],
  outdir: target,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: ['es2023', 'chrome123', 'firefox121', 'safari17.5'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  minify: true,
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
});

const built = outputFiles.map(({ path, contents }) => ({ name: basename(path), contents: Buffer.from(contents) }));
const html = readFileSync(join(source, 'index.html'), 'utf8')
  .replace('main.js', `${address}/${nameOf('main', '.js')}`)
  .replace('page.css', `${address}/${nameOf('page', '.css')}`);

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const files = [...built, { name: 'index.html', contents: Buffer.from(html) }].map(({ name, contents }) => {
  const br = brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
  writeFileSync(join(target, `${name}.br`), br);
  writeFileSync(join(target, `${name}.gz`), gzipSync(contents, { level: 9 }));
  const hash = createHash('sha256').update(contents).digest('base64url').slice(0, 16);
  return { name, contentType: contentTypes[extname(name)], etag: `"${hash}"`, brotliBytes: br.length };
});
const first = [nameOf('main', '.js'), ...staticImports(nameOf('main', '.js')), nameOf('page', '.css'), 'index.html'];
writeFileSync(join(target, 'manifest.json'), `${JSON.stringify({ first, files }, null, 1)}\n`);
writeFileSync(join(target, 'THIRD-PARTY-NOTICES'), notices());

function nameOf(entry, extension) {
  const found = built.find(({ name }) => name.startsWith(`${entry}-`) && name.endsWith(extension));
  if (!found) throw new Error(`esbuild has made no ${entry}${extension}.`);
  return found.name;
}

/** Returns the files that a script loads before it runs, directly or not. */
function staticImports(name, seen = new Set()) {
  const [, output] = Object.entries(metafile.outputs).find(([path]) => basename(path) === name);
  for (const { kind, path } of output.imports) {
    if (kind !== 'import-statement' || seen.has(basename(path))) continue;
    seen.add(basename(path));
    staticImports(basename(path), seen);
  }
  return [...seen];
}

/** Returns the licenses of the packages in the page, which require this. */
function notices() {
  const folders = new Set(
    Object.keys(metafile.inputs).flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
  );
  const parts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, 'LICENSE'), 'utf8').trim()}\n`;
  });
  return `The page for browsers contains code of these packages.\n\n${parts.join('\n----\n\n')}`;
}
