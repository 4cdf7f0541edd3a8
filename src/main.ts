#!/usr/bin/env node
import * as module from 'node:module';
import { leaveOnSignals } from './commands/early-signals.js';
import { keepTickShape } from './commands/keep-tick-shape.js';
import { nodeFault } from './node-version.js';

// Handle signals before loading the other modules, which takes a while.
leaveOnSignals();
keepTickShape();
// Node.js 22.1 and later cache compiled code between starts.
(module as { readonly enableCompileCache?: () => void }).enableCompileCache?.();
const fault = nodeFault(process.versions.node);
if (fault === undefined) {
  // Older versions cannot even parse these modules.
  const { run } = await import('./commands/program.js');
  process.exitCode = await run(process.argv, process.env);
} else {
  process.stderr.write(`${fault}\n`);
  process.exitCode = 2;
}
