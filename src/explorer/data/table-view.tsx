import { mayEdit } from '../model/identities.js';
import { account } from '../model/session.js';
import { copyText } from '../parts/copy.js';
import { Icon, IconButton } from '../parts/icon.js';
import { Empty } from '../parts/list.js';
import { Menu, type MenuItem } from '../parts/menu.js';
import { openDialog } from './dialogs/open-dialog.js';
import { newEntity } from './drawer/drawer-state.js';
import { Grid } from './grid/grid.js';
import { GridFooter } from './grid-footer.js';
import { PlanStrip } from './query/plan-strip.js';
import { filter, select } from './query/query.js';
import { QueryBar } from './query/query-bar.js';
import { RefusedQuery } from './refusal.js';
import { progress } from './rows.js';
import { samples } from './samples.js';
import { table } from './tables.js';

/** The current table: its query, the cost of the query, and the results. */
export function TableView() {
  const name = table.value ?? '';
  const { status, error, returned, next } = progress.value;
  return (
    <section class="table-view" aria-label={`Table ${name}`}>
      <header class="title line">
        <h1 class="cut">{name}</h1>
        <span class="space" />
        <CopyMenu />
        {mayEdit.value && (
          <>
            <button type="button" onClick={newEntity}>
              <Icon name="add" />
              New entity
            </button>
            <IconButton
              icon="delete"
              label={`Delete the table ${name}`}
              onClick={() => (openDialog.value = { kind: 'delete-table', table: name })}
            />
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

/** Copies the query as a program in some language. */
function CopyMenu() {
  return <Menu label="Copy as" icon="copy" items={copyItems()} />;
}

/** Returns the languages that the query can be copied as. */
function copyItems(): readonly MenuItem[] {
  return samples.map(({ label, write }) => ({
    label,
    run: () =>
      void copyText(
        write({
          root: location.origin,
          account: account.value?.name ?? '',
          table: table.value ?? '',
          filter: filter.value,
          select: select.value,
        }),
        label,
      ),
  }));
}
