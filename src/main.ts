#!/usr/bin/env node
import { leaveOnSignals } from './commands/early-signals.js';
import { keepTickShape } from './commands/keep-tick-shape.js';

// Handle signals before loading the other modules, which takes a while.
leaveOnSignals();
keepTickShape();
const { run } = await import('./commands/program.js');
process.exitCode = await run(process.argv, process.env);
