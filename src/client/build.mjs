// Generates calls.ts, the methods of the library, and rows.ts, the verbs for clients, from src/verbs, and the options of the
// library from src/settings.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const outfile = join(import.meta.dirname, '../generated/write-calls.mjs');
await build({
  entryPoints: ['src/client/write-calls.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  logLevel: 'error',
});
const { writeCalls, writeOptions, writeRows } = await import(pathToFileURL(outfile).href);
rmSync(outfile);
writeFileSync('src/client/calls.ts', writeCalls());
writeFileSync('src/client/rows.ts', writeRows());
writeFileSync('src/library/options.ts', writeOptions());
