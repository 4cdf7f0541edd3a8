import { writeTableHeader } from '../transfer/table-header.js';
import { AccountSource } from './account/account-source.js';
import { Connection } from './account/connection.js';
import { checkTablesOfProperties, chooseTables } from './choose-tables.js';
import type { CopyWish } from './contract.js';
import { CopyFault } from './ends/end.js';
import { readEnd } from './ends/read-end.js';
import { noteOfMask, rowChanger, unusedMasks } from './rows/change-row.js';

/** The data that a stream has. */
export type StreamWish = Pick<CopyWish, 'from' | 'tables' | 'filter' | 'mask' | 'sample'> & {
  readonly maskKey: string;
  /** Called at the end with a note about each mask that matched no entity. */
  readonly onNote: (note: string) => void;
};

/** Requests in flight. (Our choice: the pages of a stream come one after the other.) */
const transfers = 2;

/**
 * Returns the tables of an account as NDJSON. Errors: CopyFault for an end that is not an account, or has neither a key nor a
 * signature: a server must not use the tokens and the files of its user for a caller. Errors of the stream: CopyFault.
 */
export function streamAccount(wish: StreamWish, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
  const end = readEnd(wish.from, {});
  if (end.kind !== 'account' || end.credential.isToken)
    throw new CopyFault('Pass a connection string with a key or a signature, or a signed URL.');
  const connection = new Connection(end.endpoint, end.credential, { transfers, signal, environment: {} });
  return readAccount(new AccountSource(connection, end), wish);
}

async function* readAccount(source: AccountSource, wish: StreamWish): AsyncGenerator<Uint8Array> {
  const { filter, mask, maskKey, sample, onNote } = wish;
  const used = new Set<string>();
  const filled: string[] = [];
  try {
    const tables = chooseTables(await source.tables(), { tables: wish.tables, rename: new Map() });
    checkTablesOfProperties(tables, { mask, omit: [] });
    for (const { name, policies = [] } of tables) {
      yield Buffer.from(`${writeTableHeader({ name, policies })}\n`);
      const change = rowChanger({ omit: [], mask, maskKey, sample, onMask: (one) => used.add(one) }, name);
      for await (const { rows } of source.pages(name, {}, { filter })) {
        const lines = rows.flatMap((row) => change(row) ?? []).map(({ text }) => `${text}\n`);
        if (lines.length > 0) filled.push(name);
        yield Buffer.from(lines.join(''));
      }
    }
    for (const one of unusedMasks(mask, used, filled)) onNote(noteOfMask(one));
  } finally {
    await source.close();
  }
}
