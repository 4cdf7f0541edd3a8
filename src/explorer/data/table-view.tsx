import { Empty } from '../parts/empty.js';
import { Icon } from '../parts/icon.js';
import { mayEdit } from '../shell/read-as.js';
import { CopyMenu } from './copy/copy-menu.js';
import { openDialog } from './dialogs/open-dialog.js';
import { newEntity } from './drawer/drawer-state.js';
import { Grid } from './grid/grid.js';
import { GridFooter } from './grid-footer.js';
import { PlanStrip } from './query/plan-strip.js';
import { filter } from './query/query.js';
import { QueryBar } from './query/query-bar.js';
import { RefusedQuery } from './refusal.js';
import { progress } from './rows.js';
import { table } from './tables.js';

/** The table that is shown: its query, what the query costs, and what it finds. */
export function TableView() {
  const name = table.value ?? '';
  const { status, error, returned, next } = progress.value;
  return (
    <section class="table-view" aria-label={`Table ${name}`}>
      <header class="title">
        <h1>{name}</h1>
        <span class="space" />
        <CopyMenu />
        {mayEdit.value && (
          <>
            <button type="button" onClick={newEntity}>
              <Icon name="add" />
              New entity
            </button>
            <button
              type="button"
              class="quiet"
              aria-label={`Delete the table ${name}`}
              title="Delete the table"
              onClick={() => (openDialog.value = { kind: 'delete-table', table: name })}
            >
              <Icon name="delete" />
            </button>
          </>
        )}
      </header>
      <QueryBar key={name} />
      <PlanStrip />
      {status === 'failed' && error ? (
        <RefusedQuery error={error} />
      ) : returned === 0 && status === 'idle' && !next ? (
        <NoEntity />
      ) : (
        <Grid key={name} />
      )}
      <GridFooter />
    </section>
  );
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
    <Empty title="No entity matches the filter" />
  );
}
