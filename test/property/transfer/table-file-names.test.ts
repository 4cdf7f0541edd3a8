import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findImportFiles, sourceOf } from '../../../src/transfer/files/import-files.js';
import { TableFileNames, writeExport } from '../../../src/transfer/files/write-aside.js';
import { writeTableHeader } from '../../../src/transfer/table-header.js';
import { runs } from '../../support/arbitrary/property-runs.js';
import { piecesOf } from '../../support/bodies/transfer-tools.js';
import { makeFolder } from '../../support/programs/make-folder.js';

/** Names that are told apart by a service and not by every file system, or that no file system takes. */
const awkward = fc.constantFrom(
  ...[
    'Orders',
    'orders',
    'ORDERS',
    'CON',
    'con',
    'nul.x',
    'COM1',
    'lpt9',
    'a:b',
    'a*b',
    'a b',
    'a.b',
    'a. ',
    '..',
    '../x',
    '',
  ],
  ...['é', 'e\u0301', 'É', 'ß', 'SS', 'K', 'K', 'i', 'İ', 'ı', '表'.repeat(86), 'x'.repeat(250), `${'x'.repeat(250)}y`],
  ...['\ud800', '\ud801', '\ufffd', '\u202egpj', 'a\0b', 'table_a-0123456789ab', 'COM¹', '%41', '~1', '$Extend'],
);

const name = fc.oneof(awkward, fc.string({ unit: 'binary' }), fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{2,10}$/));
const account = fc.option(fc.constantFrom('con', 'devstoreaccount1', 'localhost', 'aux', '../..', 'a:b', ''), {
  nil: undefined,
});
const table = fc.tuple(account, name).map(([account, name]) => ({ name, ...(account !== undefined && { account }) }));
const tables = fc.uniqueArray(table, {
  selector: (table) => JSON.stringify(table),
  maxLength: 30,
});

/** Returns what a file system that ignores letter case and the form of characters compares. */
const compared = (file: string) => file.normalize('NFKD').toUpperCase().toLowerCase();

describe('The names of the files of tables', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await makeFolder();
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('differ for different tables, whatever their case, and are short and legal on Windows', () => {
    fc.assert(
      fc.property(tables, (found) => {
        const names = new TableFileNames();
        const files = found.map((table) => `${names.next(table)}.ndjson`);
        expect(new Set(files.map(compared)).size).toBe(found.length);
        for (const file of files) {
          expect(Buffer.byteLength(file)).toBeLessThanOrEqual(120);
          // Source: Windows, Naming Files.
          expect(file).not.toMatch(/[<>:"/\\|?*\p{Cc}]|[. ]$|^\.|^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])\./iu);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it('are those of all plain tables, as in exports of earlier versions', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z][A-Za-z0-9]{2,62}$/), (plain) => {
        const isDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i.test(plain);
        if (!isDevice) expect(new TableFileNames().next({ name: plain })).toBe(plain);
      }),
      { numRuns: runs(100) },
    );
  });

  it('lead back to the same tables', async () => {
    let count = 0;
    await fc.assert(
      fc.asyncProperty(tables, async (found) => {
        const path = join(folder, `export-${count++}`);
        const lines = found.map((table) => `${writeTableHeader(table)}\n`);
        await writeExport(path, 'ndjson', piecesOf(Buffer.from(lines.join('')), 1000));
        const read: string[] = [];
        const files = (await readdir(path)).length === 0 ? [] : await findImportFiles(path);
        for (const file of files) for await (const bytes of sourceOf(file).open()) read.push(String(bytes));
        expect(read.sort()).toEqual(lines.sort());
      }),
      { numRuns: runs(20) },
    );
  });
});
