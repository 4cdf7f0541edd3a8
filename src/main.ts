#!/usr/bin/env node
import { leaveOnSignals } from './commands/early-signals.js';

// Handle signals before loading the other modules, which takes a while.
leaveOnSignals();
const { run } = await import('./commands/program.js');
process.exitCode = await run(process.argv, process.env);
