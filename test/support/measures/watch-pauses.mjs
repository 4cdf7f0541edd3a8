// Watches how long its own process holds the event loop, and how much memory it has. Appends a line of JSON to a file every
// second, and after a garbage collection that SIGUSR2 asks for. watched-server.ts reads the lines:
//   node --import 'file:///.../watch-pauses.mjs?file=/tmp/pauses' program.js
import { appendFileSync, openSync, readSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const file = new URL(import.meta.url).searchParams.get('file');

// The file exists from now on.
appendFileSync(file, '');

const schedule = process.platform === 'linux' ? openSync(`/proc/self/task/${process.pid}/schedstat`, 'r') : undefined;
const bytes = Buffer.alloc(64);

/**
 * Returns the processor time of the main thread, which Linux counts to a few milliseconds; elsewhere, that of the process.
 * Unit: milliseconds.
 */
function processorMs() {
  if (schedule === undefined) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
  const length = readSync(schedule, bytes, 0, bytes.length, 0);
  return Number(bytes.toString('latin1', 0, length).split(' ')[0]) / 1e6;
}

let [wall, processor] = [0, 0];
let longest = { wallMs: 0, processorMs: 0 };

/** Starts to measure the turn at hand from now on. */
function restart() {
  [wall, processor] = [performance.now(), processorMs()];
}

// Every turn of the event loop runs the immediates that wait, right after its input and output. One that is not referenced
// lets the loop sleep, so it runs once in each turn and adds none.
function endTurn() {
  takeTurn();
  setImmediate(endTurn).unref();
}

/** Takes the turn at hand into account, and starts to measure the next one. */
function takeTurn() {
  const [lastWall, lastProcessor] = [wall, processor];
  restart();
  const used = processor - lastProcessor;
  if (used > longest.processorMs) longest = { processorMs: used, wallMs: wall - lastWall };
}

restart();
setImmediate(endTurn).unref();

function report(isCollected) {
  const { rss, heapUsed, external } = process.memoryUsage();
  appendFileSync(file, `${JSON.stringify({ at: Date.now(), isCollected, ...longest, rss, heapUsed, external })}\n`);
  longest = { wallMs: 0, processorMs: 0 };
}

setInterval(() => report(false), 1000).unref();

process.on('SIGUSR2', () => {
  takeTurn();
  collect();
  restart();
  // Objects that close in the background free their memory only then.
  setTimeout(() => {
    collect();
    restart();
    report(true);
  }, 100);
});
