import { ClassMark } from '../parts/class-mark.js';
import { queries } from './findings.js';

/** How many shapes are listed. Ours: those that read most come first. */
const shownMax = 50;

/** What the queries of each shape have cost, those that read most first. */
export function QueryTable() {
  if (queries.value.length === 0) return null;
  return (
    <section class="query-table" aria-labelledby="query-table-title">
      <h2 id="query-table-title">Queries by entities read</h2>
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Table</th>
            <th scope="col">Query</th>
            <th scope="col">Class</th>
            <th scope="col" class="number">
              Calls
            </th>
            <th scope="col" class="number">
              Read
            </th>
            <th scope="col" class="number">
              Returned
            </th>
          </tr>
        </thead>
        <tbody>
          {queries.value.slice(0, shownMax).map((query) => (
            <tr key={`${query.table} ${query.shape}`}>
              <td>{query.table}</td>
              <td class="shape">
                <code>{query.shape}</code>
              </td>
              <td>
                <ClassMark name={query.class} />
              </td>
              <td class="number">{query.calls.toLocaleString('en')}</td>
              <td class="number">{query.read.toLocaleString('en')}</td>
              <td class="number">{query.returned.toLocaleString('en')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
