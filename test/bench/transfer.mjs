// Measures imports and exports of several sizes and formats, on LevelDB on disk: `node test/bench/transfer.mjs [rows...]`. Needs a
// build and an idle machine.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Accounts } from '../../build/auth/accounts.js';
import { createClock } from '../../build/clock/clock.js';
import { State } from '../../build/state/state.js';
import { openStore } from '../../build/store/open-store.js';
import { Transfer } from '../../build/transfer/transfer.js';

const account = 'account';
const sizes = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [1000, 10_000, 100_000, 1_000_000];
const formats = ['ndjson', 'json', 'csv'];
const mib = 1024 * 1024;

/** An entity of about 400 bytes with seven properties. */
const rowOf = (at) =>
  `{"PartitionKey":"p${Math.floor(at / 1000)}","RowKey":"${String(at).padStart(8, '0')}","Name":"name ${at}","Age":${at % 100},` +
  `"Total@odata.type":"Edm.Int64","Total":"${at}000000","Paid":${at % 2 === 0},"Ratio":${at}.5,` +
  `"At@odata.type":"Edm.DateTime","At":"2024-01-02T03:04:05.1234567Z","Text":"${'x'.repeat(150)}"}\n`;

async function* data(rows) {
  yield Buffer.from('{"$table":"Table"}\n');
  for (let at = 0; at < rows; at += 100) {
    yield Buffer.from(Array.from({ length: Math.min(100, rows - at) }, (_, row) => rowOf(at + row)).join(''));
  }
}

async function withStore(work) {
  const location = await mkdtemp(join(tmpdir(), 'tabularium-transfer-'));
  const store = await openStore({ engine: 'level', location }, { clock: createClock(), cacheBytes: 64 * mib });
  const accounts = new Accounts([{ name: account, keys: ['a2V5'] }]);
  try {
    return await work(new Transfer(store, new State(store, accounts, () => {})));
  } finally {
    await store.close();
    await rm(location, { recursive: true });
  }
}

/** Returns a function that tells the rows in a millisecond, by the clock and by the time of the processor. */
function begin(rows) {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { clock: rows / (performance.now() - startedAt), processor: (1000 * rows) / (user + system) };
  };
}

async function imported(transfer, rows, format, open) {
  const rate = begin(rows);
  const report = await transfer.import([{ format, defaultTable: 'Table', open }]);
  if (report.rows !== rows) throw new Error(`${report.rows} of ${rows} rows were imported`);
  return rate();
}

/** Exports and returns the text with the rows in a millisecond. */
async function exported(transfer, rows, format) {
  const rate = begin(rows);
  const pieces = [];
  for await (const piece of await transfer.export({ format })) pieces.push(piece);
  return { pieces, rate: rate() };
}

const shown = ({ clock, processor }) => `${Math.round(clock)} (${Math.round(processor)})`;

console.log('thousand entities a second, and in brackets in a second of the processor');
for (const rows of sizes) {
  for (const format of formats) {
    const pieces = await withStore(async (transfer) => {
      const filled = await imported(transfer, rows, 'ndjson', () => data(rows));
      const { pieces: text, rate } = await exported(transfer, rows, format);
      console.log(`${rows} ${format}: ${format === 'ndjson' ? `import ${shown(filled)}, ` : ''}export ${shown(rate)}`);
      return format === 'ndjson' ? [] : text;
    });
    if (pieces.length === 0) continue;
    const rate = await withStore((transfer) =>
      imported(transfer, rows, format, async function* () {
        yield* pieces;
      }),
    );
    console.log(`${rows} ${format}: import ${shown(rate)}`);
  }
  console.log(`resident: ${Math.round(process.memoryUsage().rss / mib)} MiB`);
}
