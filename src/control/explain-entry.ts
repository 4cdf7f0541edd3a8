import { nearestName } from '../explain/nearest-name.js';
import type { JournalEntry } from '../journal/journal.js';
import { answerJson, type ControlAnswer } from './control-row.js';

/** The tables of accounts, for suggestions. */
export interface TableLists {
  /** Returns the tables of an account. */
  listTables(account: string): readonly { readonly name: string }[] | Promise<readonly { readonly name: string }[]>;
}

/** Answers why a request was refused. For a table that is missing, it adds a table with a similar name. */
export async function explainEntry(entry: JournalEntry, tables: TableLists): Promise<ControlAnswer> {
  const { explanation, requestId, status, code } = entry;
  if (!explanation)
    return answerJson(404, { error: `The request ${requestId} was not refused: its status is ${status}.` });
  const near = code === 'TableNotFound' ? await similarTable(entry, tables) : undefined;
  return answerJson(200, { requestId, status, code, ...explanation, ...(near !== undefined && { near }) });
}

async function similarTable({ account, resource }: JournalEntry, tables: TableLists): Promise<string | undefined> {
  if (account === undefined || !resource || !('table' in resource)) return undefined;
  return nearestName(
    resource.table,
    (await tables.listTables(account)).map(({ name }) => name),
  );
}
