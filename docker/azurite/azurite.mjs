#!/usr/bin/env node
// The `azurite` command of the image with all three services: Azurite's blob and queue services, Tabularium's tables.
import { splitFlags } from './split-flags.mjs';
import { supervise } from './supervise.mjs';

const { words, notes } = splitFlags(process.argv.slice(2), process.env);
for (const note of notes) process.stdout.write(`${note}\n`);
process.exitCode = await supervise(words);
