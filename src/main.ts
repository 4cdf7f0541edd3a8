#!/usr/bin/env node
import { run } from './commands/program.js';

process.exitCode = await run(process.argv, process.env);
