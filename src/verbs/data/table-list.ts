import { flag, list, object, optional } from '../../schema.js';
import { ListedTable } from '../../state/contract.js';
import { account } from '../fields.js';
import { counted } from '../lines.js';
import { verb } from '../verb.js';

export const tableList = verb({
  name: 'table list',
  does: 'List the tables of all accounts except branches, or of one account.',
  http: 'GET /tables',
  changes: 'nothing',
  example: 'tables --count',
  takes: {
    account: account('Only this account.'),
    count: optional(flag('Count the entities of each, which reads all of them.')),
  },
  answers: object('TableList', 'Tables.', { tables: list('The tables, by account and name.', ListedTable) }),
  lists: 'tables',
  run: async ({ state }, { account, count = false }) => ({ tables: await state.listTables(account, count) }),
  lines: ({ tables }) =>
    tables.map(({ account, name, entities }) => {
      const size = entities === undefined ? '' : ` (${counted(entities, 'entity', 'entities')})`;
      return `${account}/${name}${size}`;
    }),
});
