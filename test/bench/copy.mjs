// Measures copies between two servers beside the program that people write with an SDK, in one run: rows for each second of the
// processor that the copying process uses, and its memory. `node test/bench/copy.mjs [rows] [rounds]`; needs a build.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';

const self = import.meta.filename;
const program = join(import.meta.dirname, '../../dist/main.js');
const rows = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 1);

/**
 * Prints the use of the processor and the memory of a process at its end. The system's `maxRSS` of a child begins with that of its parent,
 * which here has all rows; the peak of the process's own memory does not.
 */
const usage = `import { readFileSync } from 'node:fs';
process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const [, kib] = /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  console.log('USAGE ' + JSON.stringify([(userCPUTime + systemCPUTime) / 1e6, Number(kib)]));
});`;

if (process.argv[2] === 'naive') await copyNaively(...process.argv.slice(3));
else await measure();

/** Reads entities and writes transactions, as samples do. @param {string[]} ends */
async function copyNaively(from, to, table, targetTable) {
  const options = { allowInsecureConnection: true };
  const source = TableClient.fromConnectionString(from, table, options);
  const target = TableClient.fromConnectionString(to, targetTable, options);
  await target.createTable();
  let operations = [];
  const flush = async () => {
    if (operations.length > 0) await target.submitTransaction(operations);
    operations = [];
  };
  for await (const { etag, timestamp, ...entity } of source.listEntities()) {
    const first = operations[0]?.[1];
    if (operations.length === 100 || (first && first.partitionKey !== entity.partitionKey)) await flush();
    operations.push(['create', entity]);
  }
  await flush();
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-copy-'));
  const servers = [];
  try {
    const ends = [];
    for (const name of ['one', 'other']) {
      const server = spawn(process.execPath, [
        program,
        '--location',
        join(folder, name),
        '--silent',
        '--tablePort',
        '0',
      ]);
      servers.push(server);
      ends.push(await urlOf(server));
    }
    await fill(ends[0]);
    const [from, to] = ends.map(
      (url) =>
        `DefaultEndpointsProtocol=http;AccountName=devstoreaccount1;AccountKey=Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;TableEndpoint=${url}/devstoreaccount1`,
    );
    const copy = [program, 'copy', from, to, '--state', join(folder, 'state.json'), '--rename'];
    for (let round = 1; round <= rounds; round++) {
      await run('copy, verified', [...copy, `Rows=Verified${round}`]);
      await run('program with the SDK', [self, 'naive', from, to, 'Rows', `Naive${round}`]);
      await run('copy --noVerify', [...copy, `Rows=Unverified${round}`, '--noVerify']);
    }
  } finally {
    const ends = servers.map(
      (server) => new Promise((resolve) => server.removeAllListeners('close').once('close', resolve)),
    );
    for (const server of servers) server.kill();
    await Promise.all(ends);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program and prints its figures. */
async function run(name, words) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(usage)}`, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const [, text] = /USAGE (.*)/.exec(output) ?? [];
  if (code !== 0 || !text) throw new Error(`${name} ended with ${code}: ${output}`);
  const [seconds, kib] = JSON.parse(text);
  const wall = (performance.now() - startedAt) / 1000;
  console.log(
    `${name.padEnd(22)} ${Math.round(rows / seconds)} rows for a second of the processor, ${Math.round(rows / wall)} a second, ${Math.round(kib / 1024)} MiB`,
  );
}

function urlOf(server) {
  return new Promise((resolve, reject) => {
    server.once('close', reject);
    server.stdout.setEncoding('utf8').on('data', (text) => {
      const [url] = /http:\S+/.exec(text) ?? [];
      if (url) resolve(url);
    });
  });
}

/** Imports rows of about 400 bytes with seven properties. */
async function fill(url) {
  const lines = function* () {
    yield '{"$table":"Rows"}\n';
    for (let at = 0; at < rows; at++)
      yield `{"PartitionKey":"p${String(Math.floor(at / 1000)).padStart(5, '0')}","RowKey":"${String(at).padStart(8, '0')}","Name":"name ${at}","Age":${at % 100},"Total@odata.type":"Edm.Int64","Total":"${at}000000","Paid":${at % 2 === 0},"Ratio":${at}.5,"At@odata.type":"Edm.DateTime","At":"2024-01-02T03:04:05.1234567Z","Text":"${'x'.repeat(150)}"}\n`;
  };
  const bytes = ReadableStream.from(
    (function* () {
      let part = '';
      for (const line of lines()) {
        part += line;
        if (part.length < 65536) continue;
        yield Buffer.from(part);
        part = '';
      }
      yield Buffer.from(part);
    })(),
  );
  const headers = { 'Content-Type': 'application/x-ndjson' };
  const answer = await fetch(`${url}/_tabularium/import`, { method: 'POST', body: bytes, duplex: 'half', headers });
  const report = JSON.parse((await answer.text()).trim().split('\n').at(-1) ?? '{}');
  if (report.rows !== rows) throw new Error(`the import ended with ${JSON.stringify(report)}`);
}
