// Watches how long its own process holds the event loop, and how much memory it has. Appends a line of JSON to a file every
// second, and after a garbage collection that SIGUSR2 asks for. watched-server.ts reads the lines:
//   node --import 'file:///.../watch-pauses.mjs?file=/tmp/pauses' program.js
import { appendFileSync, openSync, readSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const file = new URL(import.meta.url).searchParams.get('file');

/** Time between two looks at the clocks. Unit: milliseconds. */
const tickMs = 10;

const schedule = process.platform === 'linux' ? openSync(`/proc/self/task/${process.pid}/schedstat`, 'r') : undefined;
const bytes = Buffer.alloc(64);

/** Returns the processor time of the main thread; elsewhere than on Linux, that of the process. Unit: milliseconds. */
function processorMs() {
  if (schedule === undefined) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  const length = readSync(schedule, bytes, 0, bytes.length, 0);
  return Number(bytes.toString('latin1', 0, length).split(' ')[0]) / 1e6;
}

let [wall, processor] = [performance.now(), processorMs()];
let longest = { wallMs: 0, processorMs: 0 };

// The event loop runs its timers once in each round. What the main thread did between two ticks, it did without a break,
// but for the 10 ms of the timer itself.
setInterval(() => {
  const [now, used] = [performance.now(), processorMs()];
  longest.wallMs = Math.max(longest.wallMs, now - wall - tickMs);
  longest.processorMs = Math.max(longest.processorMs, used - processor - tickMs);
  [wall, processor] = [now, used];
}, tickMs).unref();

function report(isCollected) {
  const { rss, heapUsed, external } = process.memoryUsage();
  appendFileSync(file, `${JSON.stringify({ at: Date.now(), isCollected, ...longest, rss, heapUsed, external })}\n`);
  longest = { wallMs: 0, processorMs: 0 };
}

setInterval(() => report(false), 1000).unref();

process.on('SIGUSR2', () => {
  collect();
  // Objects that close in the background free their memory only then.
  setTimeout(() => {
    collect();
    [wall, processor] = [performance.now(), processorMs()];
    report(true);
  }, 100);
});
