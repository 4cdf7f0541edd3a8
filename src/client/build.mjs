// Writes src/client/calls.ts and rows.ts, the methods of the library and what the page needs of each verb, from src/verbs.
import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: ['src/client/write-calls.ts'],
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
});
const { writeCalls, writeRows } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`
);
writeFileSync('src/client/calls.ts', writeCalls());
writeFileSync('src/client/rows.ts', writeRows());
