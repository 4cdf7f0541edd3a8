#!/usr/bin/env node
// `azurite` of the image that serves all three: Azurite's own blob and queue services beside Tabularium's tables.
import { splitFlags } from './split-flags.mjs';
import { supervise } from './supervise.mjs';

const { words, notes } = splitFlags(process.argv.slice(2), process.env);
for (const note of notes) process.stdout.write(`${note}\n`);
process.exitCode = await supervise(words);
