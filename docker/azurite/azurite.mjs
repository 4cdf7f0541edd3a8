#!/usr/bin/env node
// The command `azurite`: Azurite's blob and queue services and Tabularium's tables, under one supervisor.
import { ownVersion } from './own-version.mjs';
import { splitFlags } from './split-flags.mjs';
import { supervise } from './supervise.mjs';
import { usage } from './usage.mjs';

const { question, words, notes } = splitFlags(process.argv.slice(2), process.env);
if (question === 'help') process.stdout.write(usage);
else if (question === 'version') process.stdout.write(`${ownVersion()}\n`);
else {
  for (const note of notes) process.stdout.write(`${note}\n`);
  process.exitCode = await supervise(words);
}
