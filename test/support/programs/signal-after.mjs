// Sends a signal to its own process after a number of asynchronous operations, so that a test can stop a program at a
// given point of its start, on a fast and on a slow machine alike:
//   node --import 'file:///.../signal-after.mjs?signal=SIGTERM&operations=1200' program.js
import { createHook } from 'node:async_hooks';

const parameters = new URL(import.meta.url).searchParams;
const signal = parameters.get('signal') ?? 'SIGTERM';
let left = Number(parameters.get('operations'));

const hook = createHook({
  init() {
    if (left-- > 0) return;
    hook.disable();
    process.kill(process.pid, signal);
  },
}).enable();
