#!/usr/bin/env node
// Tells which functions of src a request runs, in the order in which each is first called.
//
//   npm run build && node test/support/walk.mjs         all requests, one line each
//   node test/support/walk.mjs point-read insert        these requests, with every function
//   … --store level --journal 4096                      on LevelDB on disk, with a journal (default: memory, no journal)
//   … --modules ../other/build                           another build
//   … --json                                            for programs
//   … --bar test/support/walk-bar.json                  fails if a request runs more than the file allows
//
// A server starts in this process and gets the same requests until they are warm. Then one request runs under precise coverage of
// the inspector, which counts the calls of every function of build; a file of build is a file of src. A second request of the same
// kind runs with a conditional breakpoint in each function found. Its condition notes the call and never pauses: that gives
// the order. Functions of timers that happen to fire are left out: only what three measurements have in common counts.
//
// The bar counts what is outside the store: which of the store's functions run depends on its caches and its background work.
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    modules: { type: 'string', default: 'build' },
    store: { type: 'string', default: 'memory' },
    journal: { type: 'string', default: '0' },
    warm: { type: 'string', default: '300' },
    measurements: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    bar: { type: 'string' },
  },
});
const modules = resolve(values.modules);
const rootUrl = `${pathToFileURL(modules).href}/`;
const account = 'devstoreaccount1';
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

const { startServer } = await import(pathToFileURL(join(modules, 'server.js')).href);
const { defaultConfig } = await import(pathToFileURL(join(modules, 'settings/config.js')).href);
const location = await mkdtemp(join(tmpdir(), 'walk-'));
const server = await startServer({
  ...defaultConfig,
  port: 0,
  silent: true,
  location,
  inMemory: values.store === 'memory',
  journal: Number(values.journal),
});
const { port } = new URL(server.url);
const socket = connect(Number(port), '127.0.0.1');
socket.setNoDelay(true);
await once(socket, 'connect');

/** Sends one signed request on the one connection and returns its status. */
function send(method, path, headers = {}, body = '', query = '') {
  const date = new Date().toUTCString();
  const type = headers['Content-Type'] ?? '';
  const text = `${method}\n\n${type}\n${date}\n/${account}/${account}${path}`;
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
  const all = {
    Host: `127.0.0.1:${port}`,
    'x-ms-date': date,
    'x-ms-version': '2019-02-02',
    Accept: 'application/json;odata=minimalmetadata',
    Authorization: `SharedKey ${account}:${signature}`,
    ...(method === 'GET' || method === 'DELETE' ? {} : { 'Content-Length': Buffer.byteLength(body) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const answered = new Promise((done) => {
    let got = '';
    const onData = (chunk) => {
      got += chunk.toString('latin1');
      if (!isWhole(got)) return;
      socket.off('data', onData);
      done({ status: Number(got.slice(9, 12)), text: got });
    };
    socket.on('data', onData);
  });
  socket.write(`${method} /${account}${path}${query} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  return answered;
}

function isWhole(text) {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const head = text.slice(0, end);
  const length = /^content-length: (\d+)/im.exec(head);
  if (length) return text.length >= end + 4 + Number(length[1]);
  return /^transfer-encoding: chunked/im.test(head) ? text.endsWith('0\r\n\r\n') : true;
}

const json = { 'Content-Type': 'application/json' };
const entity = (n) =>
  `{"PartitionKey":"p","RowKey":"r${n}","name":"a name ${n}","size":${n % 1000},"price":1.5,"flag":true,"note":"some text"}`;
let number = 0;
const next = () => ++number;

function batchBody(count) {
  const parts = Array.from({ length: count }, () => {
    const row = entity(next());
    return (
      `--c\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n` +
      `POST http://127.0.0.1:${port}/${account}/walk HTTP/1.1\r\nContent-Type: application/json\r\n` +
      `Accept: application/json;odata=minimalmetadata\r\n\r\n${row}\r\n`
    );
  });
  return `--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n${parts.join('')}--c--\r\n--b--\r\n`;
}

/** The requests that are measured, with the status that each must have. */
const requests = {
  'point-read': [200, () => send('GET', `/walk(PartitionKey='p',RowKey='fixed')`)],
  insert: [201, () => send('POST', '/walk', json, entity(next()))],
  'query-page': [
    200,
    () => send('GET', '/walk()', {}, '', `?$filter=PartitionKey%20eq%20'q'%20and%20size%20ge%20${next() % 9}&$top=50`),
  ],
  batch: [202, () => send('POST', '/$batch', { 'Content-Type': 'multipart/mixed; boundary=b' }, batchBody(3))],
  rejection: [404, () => send('GET', `/walk(PartitionKey='p',RowKey='missing')`)],
  'rejected-signature': [
    403,
    () =>
      send('GET', `/walk(PartitionKey='p',RowKey='fixed')`, {
        Authorization: `SharedKey ${account}:${'A'.repeat(43)}=`,
      }),
  ],
};

async function ask(name) {
  const [expected, act] = requests[name];
  const { status, text } = await act();
  if (status !== expected) throw new Error(`${name}: ${status} instead of ${expected}\n${text.slice(0, 600)}`);
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Debugger.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Returns the functions of src that one request calls, by place. */
async function cover(name) {
  await pause(20);
  await session.post('Profiler.takePreciseCoverage');
  await ask(name);
  await pause(5);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const found = new Map();
  for (const { url, scriptId, functions } of result) {
    if (!url.startsWith(rootUrl)) continue;
    const file = url
      .slice(rootUrl.length)
      .replace(/\.js$/, '.ts')
      .replace(/^generated\/(.*)\.ts$/, 'generated/$1.js');
    for (const { functionName, ranges } of functions) {
      const [{ count, startOffset, endOffset }] = ranges;
      if (count > 0)
        found.set(`${url}:${startOffset}`, { file, url, scriptId, name: functionName, startOffset, endOffset, count });
    }
  }
  return found;
}

const sources = new Map();
async function placeOf(url, offset) {
  let text = sources.get(url);
  text ??= await readFile(fileURLToPath(url), 'utf8');
  sources.set(url, text);
  const before = text.slice(0, offset).split('\n');
  return { lineNumber: before.length - 1, columnNumber: before.at(-1).length };
}

function nameIn(url, offset) {
  const text = sources.get(url) ?? '';
  const before = /([\w$#]+)\s*[:=]\s*(?:async\s*)?$/.exec(text.slice(Math.max(0, offset - 80), offset));
  return before ? `${before[1]} (arrow)` : '(arrow)';
}

/** Returns functions in the order of their first calls within one request. */
async function order(name, found) {
  const list = [...found.values()];
  const first = [];
  globalThis.walked = (at) => {
    if (first[at] === undefined) first[at] = globalThis.walkedCount++;
    return false;
  };
  globalThis.walkedCount = 0;
  const ids = [];
  for (const [at, { url, scriptId, startOffset, endOffset }] of list.entries()) {
    const start = { scriptId, ...(await placeOf(url, startOffset)) };
    const end = { scriptId, ...(await placeOf(url, endOffset)) };
    const { locations } = await session.post('Debugger.getPossibleBreakpoints', {
      start,
      end,
      restrictToFunction: true,
    });
    if (!locations[0]) continue;
    const { scriptId: id, lineNumber, columnNumber } = locations[0];
    try {
      const set = await session.post('Debugger.setBreakpoint', {
        location: { scriptId: id, lineNumber, columnNumber },
        condition: `globalThis.walked(${at})`,
      });
      ids.push(set.breakpointId);
    } catch {
      // Two functions that begin at the same place.
    }
  }
  await ask(name);
  for (const breakpointId of ids) await session.post('Debugger.removeBreakpoint', { breakpointId });
  return list
    .map((one, at) => ({
      ...one,
      name: one.name || nameIn(one.url, one.startOffset),
      at: first[at] ?? Number.POSITIVE_INFINITY,
    }))
    .sort((a, b) => a.at - b.at);
}

try {
  await send('POST', '/Tables', json, '{"TableName":"walk"}');
  await send('POST', '/walk', json, entity('fixed').replace('rfixed', 'fixed').replace('"size":NaN', '"size":1'));
  for (let n = 0; n < 200; n++) await send('POST', '/walk', json, entity(n).replace('"p"', '"q"'));
  const names = positionals.length > 0 ? positionals : Object.keys(requests);
  const report = {};
  for (const name of names) {
    for (let n = 0; n < Number(values.warm); n++) await ask(name);
    let common;
    for (let n = 0; n < Number(values.measurements); n++) {
      const found = await cover(name);
      if (common) {
        for (const place of common.keys()) if (!found.has(place)) common.delete(place);
      } else common = found;
    }
    const walked = await order(name, common);
    const files = [...new Set(walked.map(({ file }) => file))];
    const rooms = {};
    for (const { file } of walked) {
      const room = file.startsWith('store/') ? file.split('/').slice(0, 2).join('/') : file.split('/')[0];
      rooms[room] ??= { functions: 0, files: new Set() };
      rooms[room].functions++;
      rooms[room].files.add(file);
    }
    const moves = walked.filter(
      ({ file, at }, index) => at !== Number.POSITIVE_INFINITY && index > 0 && walked[index - 1].file !== file,
    ).length;
    const outside = walked.filter(({ file }) => !file.startsWith('store/'));
    report[name] = {
      functions: walked.length,
      files: files.length,
      moves,
      calls: walked.reduce((sum, { count }) => sum + count, 0),
      outside: { functions: outside.length, files: new Set(outside.map(({ file }) => file)).size },
      rooms: Object.fromEntries(
        Object.entries(rooms).map(([room, { functions, files: of }]) => [room, { functions, files: of.size }]),
      ),
      walked: walked.map(({ file, name: called, count }) => ({ file, name: called, count })),
    };
  }
  if (values.json) console.log(JSON.stringify(report, null, 1));
  else {
    for (const [name, { functions, files, calls, moves, outside, rooms, walked }] of Object.entries(report)) {
      console.log(
        `${name}: ${functions} functions in ${files} files, ${calls} calls, ${moves} moves from file to file`,
      );
      console.log(`  outside the store: ${outside.functions} in ${outside.files}`);
      console.log(
        `  ${Object.entries(rooms)
          .map(([room, one]) => `${room} ${one.functions}/${one.files}`)
          .join(', ')}`,
      );
      if (positionals.length === 0) continue;
      let last;
      for (const { file, name: called, count } of walked) {
        console.log(`  ${file === last ? ' '.repeat(file.length) : file}  ${called}${count > 1 ? ` x${count}` : ''}`);
        last = file;
      }
    }
  }
  if (values.bar) {
    const bar = JSON.parse(await readFile(values.bar, 'utf8'));
    for (const [name, { outside }] of Object.entries(report)) {
      const { functions, files } = bar[name];
      if (outside.functions <= functions && outside.files <= files) continue;
      console.error(
        `${name} runs ${outside.functions} functions in ${outside.files} files; the bar is ${functions} in ${files}`,
      );
      process.exitCode = 1;
    }
  }
} finally {
  session.disconnect();
  socket.destroy();
  await server.close();
  await rm(location, { recursive: true, force: true });
}
