// Bundles the parts of OpenTelemetry that traces use into dist/traces/opentelemetry.js, with the licenses of their packages.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { thirdPartyNotices } from '../third-party-notices.mjs';

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
writeFileSync(join(target, 'THIRD-PARTY-NOTICES'), thirdPartyNotices('opentelemetry.js', metafile, root));
