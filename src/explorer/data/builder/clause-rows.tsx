import type { EdmType } from '../../../protocol/values/edm.js';
import type { ComparisonOperator } from '../../../query/filter/filter.js';
import { faultOf } from '../../client/value.js';
import { Icon } from '../../parts/icon.js';
import { columns } from '../columns.js';
import { typeChoices, usualText } from '../drawer/draft.js';
import { runQuery } from '../query/query.js';
import { type Clause, type ComparisonClause, type GroupClause, newClause, operatorWords } from './clauses.js';

/** Rows that are joined in one way, with the buttons that add to them. */
export function ClauseGroup({
  group,
  change,
}: {
  readonly group: GroupClause;
  readonly change: (next: GroupClause) => void;
}) {
  const { clauses } = group;
  const replace = (at: number, next: Clause | undefined) =>
    change({ ...group, clauses: next ? clauses.with(at, next) : clauses.toSpliced(at, 1) });
  return (
    <fieldset class="clauses">
      <legend class="unseen">Rows</legend>
      {clauses.map((clause, at) => (
        <div class="clause" key={at}>
          {at === 0 ? (
            <span class="join">where</span>
          ) : (
            <select
              class="join"
              aria-label="How the rows are joined"
              value={group.join}
              onChange={({ currentTarget }) => change({ ...group, join: currentTarget.value as 'and' | 'or' })}
            >
              <option>and</option>
              <option>or</option>
            </select>
          )}
          {clause.kind === 'comparison' ? (
            <ComparisonRow clause={clause} change={(next) => replace(at, next)} />
          ) : (
            <ClauseGroup group={clause} change={(next) => replace(at, next.clauses.length > 0 ? next : undefined)} />
          )}
        </div>
      ))}
      <div class="add">
        <button type="button" onClick={() => change({ ...group, clauses: [...clauses, newClause] })}>
          <Icon name="add" />
          Row
        </button>
        <button type="button" onClick={() => change({ ...group, clauses: [...clauses, groupAfter(group)] })}>
          <Icon name="add" />
          Group
        </button>
      </div>
    </fieldset>
  );
}

function ComparisonRow(props: {
  readonly clause: ComparisonClause;
  readonly change: (next: ComparisonClause | undefined) => void;
}) {
  const { clause, change } = props;
  const { property, operator, type, text } = clause;
  const names = [...new Set([...columns.value.map(({ name }) => name), property])];
  return (
    <>
      <select
        aria-label="Property"
        value={property}
        onChange={({ currentTarget }) => {
          const name = currentTarget.value;
          const next = columns.value.find((column) => column.name === name)?.types[0] ?? type;
          change({
            ...clause,
            property: name,
            type: next,
            text: faultOf({ type: next, text }) ? usualText(next) : text,
          });
        }}
      >
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label="Operator"
        value={operator}
        onChange={({ currentTarget }) => change({ ...clause, operator: currentTarget.value as ComparisonOperator })}
      >
        {Object.entries(operatorWords).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <select
        aria-label="Type"
        value={type}
        onChange={({ currentTarget }) => {
          const next = currentTarget.value as EdmType;
          change({ ...clause, type: next, text: faultOf({ type: next, text }) ? usualText(next) : text });
        }}
      >
        {typeChoices.map((choice) => (
          <option key={choice.type} value={choice.type}>
            {choice.label}
          </option>
        ))}
      </select>
      <input
        class="code"
        aria-label="Value"
        value={text}
        aria-invalid={faultOf(clause) !== undefined}
        title={faultOf(clause)}
        onInput={({ currentTarget }) => change({ ...clause, text: currentTarget.value })}
        onKeyDown={({ key }) => key === 'Enter' && runQuery()}
      />
      <button type="button" class="quiet" aria-label="Remove the row" onClick={() => change(undefined)}>
        <Icon name="close" />
      </button>
    </>
  );
}

/** Returns a new group, which is joined in the other way: in the same way it would not be a group of its own. */
function groupAfter({ join }: GroupClause): GroupClause {
  return { kind: 'group', join: join === 'and' ? 'or' : 'and', clauses: [newClause, newClause] };
}
