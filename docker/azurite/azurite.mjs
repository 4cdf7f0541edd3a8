#!/usr/bin/env node
// `azurite` of the image that serves all three: Azurite's own blob and queue services beside Tabularium's tables.
import { splitFlags } from './split-flags.mjs';
import { supervise } from './supervise.mjs';

process.exitCode = await supervise(splitFlags(process.argv.slice(2), process.env));
