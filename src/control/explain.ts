import { describeError } from '../dialects/storage/describe-error.js';
import { filterTree, judgeFilter } from '../insight/why/filter/judge-filter.js';
import { controlRoot } from '../wire/reserved-endpoints.js';
import { isOn } from './check-query.js';
import { answerJson, type ControlRow } from './control-row.js';
import { FieldFault, readFields } from './read-fields.js';

/** The row that explains a `$filter`, as `tabularium explain` does. It needs neither a journal nor a table. */
export const explainRow: ControlRow = {
  method: 'POST',
  path: `${controlRoot}/explain`,
  purpose:
    'how the cloud finds the entities of a $filter, or why it is refused, as {"filter":"Size gt 1"}; with ?tree, its parts',
  takes: 'json',
  query: { switches: ['tree'] },
  run: ({ body, query }) => {
    const { filter } = readFields(body, { filter: 'string' });
    if (filter === undefined) throw new FieldFault('Send the filter, as {"filter":"Size gt 1"}.');
    const tree = isOn(query, 'tree') && { tree: filterTree(filter) };
    return answerJson(200, { ...judgeFilter(filter, describeError), ...tree });
  },
};
