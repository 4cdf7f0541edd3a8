import type { State } from '../state/state.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { isOn } from './check-query.js';
import { answerJson, type ControlRow } from './control-row.js';
import { explaining } from './explain-state-fault.js';
import { FieldFault, readFields } from './read-fields.js';

/** Returns the rows that list tables with what they hold, and delete what a filter finds. The service has neither. */
export function tableRows(state: State): readonly ControlRow[] {
  return [
    {
      method: 'GET',
      path: `${controlRoot}/tables`,
      purpose:
        'the tables of all accounts, or ?account=NAME; with &count, how many entities each has, which reads all of them',
      query: { values: ['account'], switches: ['count'] },
      run: explaining(async ({ query }) =>
        answerJson(200, { tables: await state.listTables(query.get('account') ?? undefined, isOn(query, 'count')) }),
      ),
    },
    {
      method: 'POST',
      path: `${controlRoot}/delete-entities`,
      purpose: 'deletes what a filter finds: {"account","table","filter"}',
      takes: 'json',
      run: explaining(async ({ body }) => {
        const { account, table, filter } = readFields(body, { account: 'name', table: 'name', filter: 'string' });
        if (table === undefined || filter === undefined) throw new FieldFault('Send the table and the filter.');
        return answerJson(200, await state.deleteEntities(account, table, filter));
      }),
    },
  ];
}
