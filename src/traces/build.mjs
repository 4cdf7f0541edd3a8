// Bundles the parts of OpenTelemetry that traces use into dist/traces/opentelemetry.js, with the licenses of their packages.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');
const target = join(root, 'dist/traces');

const { metafile } = await build({
  entryPoints: [join(import.meta.dirname, 'opentelemetry.ts')],
  outfile: join(target, 'opentelemetry.js'),
  allowOverwrite: true,
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  mainFields: ['module', 'main'],
  target: 'node20',
  minify: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'error',
});
const folders = new Set(
  Object.keys(metafile.inputs).flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
);
/** The packages by the text of their license, because many have the same one. */
const packagesOf = new Map();
for (const folder of [...folders].sort()) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const files = readdirSync(join(root, folder)).filter((file) => /^(?:licen[cs]e|notice)(?:\.|$)/i.test(file));
  const text = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim()).join('\n\n');
  packagesOf.set(text, [...(packagesOf.get(text) ?? []), `${name} ${version} (${license})`]);
}
const parts = [...packagesOf].map(([text, packages]) => `${packages.join('\n')}\n\n${text}`);
writeFileSync(
  join(target, 'THIRD-PARTY-NOTICES'),
  `opentelemetry.js contains code of these packages.\n\n${parts.join('\n\n----\n\n')}\n`,
);
