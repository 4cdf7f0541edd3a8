import type { JournalEntry } from '../../insight/journal/journal.js';
import type { ExplainedRequest } from '../../insight/why/explanation.js';
import { lowerAscii } from '../../protocol/names.js';
import { described, name, optional } from '../../schema.js';
import { journalOf, Refusal, type VerbServer, verb } from '../verb.js';

/** How many other accounts are searched for a table. (Our choice: each is a call to the store.) */
const accountsMax = 16;

export const why = verb({
  name: 'why',
  does: 'Explain why a request was rejected; without an ID, the last one that was.',
  http: 'GET /why',
  changes: 'nothing',
  example: 'why',
  takes: {
    id: optional(
      name('x-ms-request-id of the response, or x-ms-client-request-id.', { value: 'ID', example: '7c3f2f7e' }),
    ),
  },
  words: ['id'],
  answers: described<ExplainedRequest>('ExplainedRequest', 'Why a request was rejected.', 'insight/why/explanation'),
  async run(server, { id }) {
    const journal = journalOf(server);
    const newest = id === undefined ? journal.lastRefused() : journal.find(id);
    if (!newest) {
      const kept = `It keeps the last ${journal.capacity} requests of this server.`;
      const missing = id === undefined ? 'no rejected request' : `no request ${id}`;
      throw new Refusal(404, `The journal has ${missing}. ${kept}`);
    }
    // A client that retries sends the same ID each time.
    const entry = newest.explanation || id === undefined ? newest : (journal.find(id, { isRefused: true }) ?? newest);
    const { explanation, requestId, status, code, fault } = entry;
    if (!explanation) {
      const acted = fault === undefined ? '' : ` These fault rules acted on it: ${fault}.`;
      throw new Refusal(404, `The request ${requestId} was not refused: its status is ${status}.${acted}`);
    }
    const found = code === 'TableNotFound' ? await findTable(entry, server) : {};
    const later = entry !== newest && { laterStatus: newest.status };
    return { requestId, status, ...(code !== undefined && { code }), ...explanation, ...found, ...later };
  },
  lines: whyLines,
});

/** Returns an explanation for people: status and code, the cause, what to do, and the values that were compared. */
export function whyLines(explained: ExplainedRequest): readonly string[] {
  const { status, code = '', text, advice, near, otherAccount, details = [], laterStatus } = explained;
  return [
    // A transaction that fails is answered with a status of success, and its operation with that of the error.
    status < 400 ? `${code} in a transaction, which was answered with ${status}` : `${status} ${code}`.trimEnd(),
    text,
    ...(otherAccount === undefined ? [] : [`The account ${otherAccount} has a table of this name.`]),
    ...(laterStatus === undefined
      ? []
      : [`A later request with the same x-ms-client-request-id was answered with ${laterStatus}.`]),
    ...(near === undefined ? [] : [`There is a table ${near}.`]),
    ...(advice === undefined ? [] : [advice]),
    ...details.map(
      ({ name, value, holds }) =>
        `  ${holds === undefined ? ' ' : holds ? '✓' : '✗'} ${name}: ${JSON.stringify(value)}`,
    ),
  ];
}

/** Finds a table for a request whose table is missing: one with a similar name, or an account that has it. */
async function findTable(
  { account, resource }: JournalEntry,
  { tables, info }: VerbServer,
): Promise<Pick<ExplainedRequest, 'near' | 'otherAccount'>> {
  if (account === undefined || !resource || !('table' in resource)) return {};
  const { nearestName } = await import('../../nearest-name.js');
  const { table } = resource;
  const namesOf = async (one: string) => (await tables.listTables(one)).map(({ name }) => name);
  const others = info.accounts().filter((one) => one !== account);
  for (const other of others.slice(0, accountsMax)) {
    if ((await namesOf(other)).some((name) => lowerAscii(name) === lowerAscii(table))) return { otherAccount: other };
  }
  const near = nearestName(table, await namesOf(account));
  return near === undefined ? {} : { near };
}
