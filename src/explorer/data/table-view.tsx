import { useLayoutEffect } from 'preact/hooks';
import { mayEdit } from '../model/identities.js';
import { Grid } from '../parts/grid/grid.js';
import { Empty } from '../parts/list.js';
import { rowCount, tableDrafts } from './grid/entity-rows.js';
import { source } from './grid/source.js';
import { newEntity, takeGridFocus } from './panel/panel-state.js';
import { isSaving, saveAll } from './panel/save.js';
import { filter } from './query/query.js';
import { QueryLine } from './query/query-line.js';
import { RejectedQuery, TypeHint } from './rejection.js';
import { loadedEntities, progress } from './rows.js';
import { StatusLine } from './status-line.js';
import { table } from './tables.js';

/** The current table: its query, the cost of the query, and the results. */
export function TableView() {
  const name = table.value ?? '';
  const { status, error, next } = progress.value;
  return (
    <section class="table-view" aria-label={`Table ${name}`}>
      <QueryLine key={name} />
      {status === 'failed' && error ? (
        <RejectedQuery error={error} />
      ) : rowCount.value === 0 && loadedEntities.value.length === 0 && status === 'idle' && !next && !isSaving.value ? (
        <NoEntity />
      ) : (
        <EntityGrid key={name} />
      )}
      <StatusLine />
    </section>
  );
}

function EntityGrid() {
  useLayoutEffect(() => {
    takeGridFocus(document.querySelector<HTMLElement>('.table-view .grid'));
    const listen = (event: KeyboardEvent) => {
      if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void saveAll(tableDrafts.value);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return <Grid source={source.value} />;
}

function NoEntity() {
  return filter.value === '' ? (
    <Empty title="This table is empty">
      {mayEdit.value && (
        <button type="button" class="primary" onClick={newEntity}>
          Insert an entity
        </button>
      )}
    </Empty>
  ) : (
    <Empty title="No entity matches the filter">
      <TypeHint />
    </Empty>
  );
}
