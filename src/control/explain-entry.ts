import type { JournalEntry } from '../insight/journal/journal.js';
import type { ExplainedRequest } from '../insight/why/explanation.js';
import { nearestName } from '../nearest-name.js';
import { lowerAscii } from '../protocol/names.js';
import { answerJson, type ControlAnswer } from './control-row.js';

/** The tables of accounts, for suggestions. */
export interface TableLists {
  /** Returns the tables of an account. */
  listTables(account: string): readonly { readonly name: string }[] | Promise<readonly { readonly name: string }[]>;
}

/** How many other accounts are searched for a table. Ours: each is a question to the store. */
const accountsMax = 16;

/**
 * Answers why a request was refused. For a table that is missing, it adds a table with a similar name, or one of `accounts`
 * that has the table. `laterStatus` is the status of a later request with the same id that was not refused.
 */
export async function explainEntry(
  entry: JournalEntry,
  tables: TableLists,
  accounts: readonly string[],
  laterStatus: number | undefined,
): Promise<ControlAnswer> {
  const { explanation, requestId, status, code, fault } = entry;
  if (!explanation) {
    const acted = fault === undefined ? '' : ` These fault rules acted on it: ${fault}.`;
    return answerJson(404, { error: `The request ${requestId} was not refused: its status is ${status}.${acted}` });
  }
  const found = code === 'TableNotFound' ? await findTable(entry, tables, accounts) : {};
  return answerJson(200, { requestId, status, code, ...explanation, ...found, laterStatus });
}

async function findTable(
  { account, resource }: JournalEntry,
  tables: TableLists,
  accounts: readonly string[],
): Promise<Pick<ExplainedRequest, 'near' | 'otherAccount'>> {
  if (account === undefined || !resource || !('table' in resource)) return {};
  const { table } = resource;
  const namesOf = async (one: string) => (await tables.listTables(one)).map(({ name }) => name);
  for (const other of accounts.filter((one) => one !== account).slice(0, accountsMax)) {
    if ((await namesOf(other)).some((name) => lowerAscii(name) === lowerAscii(table))) return { otherAccount: other };
  }
  const near = nearestName(table, await namesOf(account));
  return near === undefined ? {} : { near };
}
