// Counts the asynchronous operations of its own process, and writes to standard error how many there were at three
// moments, when the program first writes to standard output. stop-points.ts reads the line:
//   node --import 'file:///.../count-operations.mjs?data=name-of-a-folder' program.js
import { createHook } from 'node:async_hooks';
import { promises, writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const data = new URL(import.meta.url).searchParams.get('data');
let operations = 0;
let opens;
let opened;

const hook = createHook({
  init() {
    operations++;
  },
}).enable();

for (const [name, call] of Object.entries(promises)) {
  if (typeof call !== 'function') continue;
  promises[name] = (...parameters) => {
    if (String(parameters[0]).includes(data)) {
      opens ??= operations;
      opened = operations;
    }
    return call.apply(promises, parameters);
  };
}
syncBuiltinESMExports();

const { write } = process.stdout;
process.stdout.write = (...parameters) => {
  process.stdout.write = write;
  hook.disable();
  const counts = { opens: opens ?? operations, opened: opened ?? operations, prints: operations };
  writeSync(2, `${JSON.stringify(counts)}\n`);
  return write.apply(process.stdout, parameters);
};
