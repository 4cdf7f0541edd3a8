import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { QueryClass } from '../../insight/queries/query-classes.js';
import { mayEdit } from '../model/identities.js';
import { isLetter } from '../model/preferences.js';
import { account } from '../model/session.js';
import { copyText } from '../parts/copy.js';
import { Grid } from '../parts/grid/grid.js';
import { Icon, IconButton, type IconName } from '../parts/icon.js';
import { Empty } from '../parts/list.js';
import { Menu, type MenuItem } from '../parts/menu.js';
import { openDialog } from './dialogs/open-dialog.js';
import { source } from './grid/source.js';
import { GridFooter } from './grid-footer.js';
import { newEntity, takeGridFocus } from './panel/panel-state.js';
import type * as CodeEditor from './query/code-editor.js';
import { FilterFault } from './query/filter-fault.js';
import { draft, entitiesRead, filter, loadCost, plan, runQuery, select, selectDraft } from './query/query.js';
import { RejectedQuery } from './rejection.js';
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
        <h2 class="cut">{name}</h2>
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
        <RejectedQuery error={error} />
      ) : returned === 0 && status === 'idle' && !next ? (
        <NoEntity />
      ) : (
        <EntityGrid key={name} />
      )}
      <GridFooter />
    </section>
  );
}

function EntityGrid() {
  useLayoutEffect(() => takeGridFocus(document.querySelector<HTMLElement>('.table-view .grid')), []);
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

/** The name of each class, its severity, and the shape that says the same without color. */
const words: Readonly<
  Record<QueryClass, { readonly name: string; readonly kind: 'good' | 'warn' | 'bad'; readonly icon: IconName }>
> = {
  none: { name: 'Nothing', kind: 'good', icon: 'check' },
  point: { name: 'Point', kind: 'good', icon: 'check' },
  'one-partition': { name: 'One partition', kind: 'good', icon: 'check' },
  'row-range': { name: 'Row range', kind: 'good', icon: 'check' },
  'partition-scan': { name: 'Partition scan', kind: 'warn', icon: 'warning' },
  'partition-range': { name: 'Partition range', kind: 'warn', icon: 'warning' },
  'cross-partition': { name: 'Every partition', kind: 'warn', icon: 'warning' },
  'table-scan': { name: 'Table scan', kind: 'bad', icon: 'error' },
};

/** An opened table is read from its start, a page at a time, which is not a mistake. */
const wholeTable = { name: 'Whole table', kind: '', icon: 'table' } as const;

/** The cost of the query: how the cloud finds the entities, and the work of this server so far. */
function PlanStrip() {
  const { pages, requestIds, returned, emptyPages, ms, next } = progress.value;
  useEffect(() => {
    if (requestIds.length > 0) void loadCost(requestIds);
  }, [requestIds]);
  const known = plan.value;
  if (!known || known.isRejected) return <div class="plan" />;
  const { name, kind, icon } = filter.value === '' && known.class === 'table-scan' ? wholeTable : words[known.class];
  const read = entitiesRead.value;
  return (
    <section class="plan" aria-label="Cost of the query">
      <span class={`mark ${kind}`}>
        <Icon name={icon} />
        {name}
      </span>
      {pages > 0 && (
        <ul>
          {read !== undefined && <Fact label="read" value={read} />}
          <Fact label={`returned${shareOf(returned, read)}`} value={returned} />
          <Fact
            label={pages === 1 ? 'page' : 'pages'}
            value={pages}
            title="Each page is a request, and a transaction that the cloud bills."
          />
          {emptyPages > 0 && <Fact label={emptyPages === 1 ? 'empty page' : 'empty pages'} value={emptyPages} />}
          <li title="Here. The cloud takes longer.">{ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms here</li>
          {next && <li>there is more</li>}
        </ul>
      )}
      <details>
        <summary>Query plan</summary>
        <p>
          {known.text} {known.advice}
        </p>
        <p>
          This server reads{' '}
          {known.ranges.length === 0 ? 'nothing.' : known.ranges.map((range) => <code key={range}>{range}</code>)}
        </p>
      </details>
    </section>
  );
}

function Fact({ label, value, title }: { readonly label: string; readonly value: number; readonly title?: string }) {
  return (
    <li title={title}>
      <b>{value.toLocaleString('en')}</b> {label}
    </li>
  );
}

function shareOf(returned: number, read: number | undefined): string {
  if (read === undefined || read === 0 || returned >= read) return '';
  const share = (returned / read) * 100;
  return ` (${share < 1 ? share.toPrecision(1) : Math.round(share)} %)`;
}

/** The query of the table: its filter and its columns. */
function QueryBar() {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isLetter(event)) return;
      event.preventDefault();
      const field = document.querySelector<HTMLElement>('[data-focus=filter]');
      field?.focus();
      field?.dispatchEvent(new Event('take-focus'));
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <div class="query">
      <div class="filter">
        <FilterEditor />
      </div>
      <SelectField />
      <button type="button" class="primary" aria-keyshortcuts="Control+Enter" onClick={runQuery}>
        <Icon name="run" />
        Run
        {draft.value.trim() !== filter.value && <span class="unseen">the changed filter</span>}
      </button>
      <FilterFault />
    </div>
  );
}

/** The names of the properties to send, with commas between them. */
function SelectField() {
  return (
    <label class="select-names">
      <code>$select</code>
      <input
        aria-label="$select: the properties to send, with commas between them"
        placeholder="all properties"
        value={selectDraft.value}
        onKeyDown={({ key }) => {
          if (key === 'Enter') runQuery();
        }}
        onInput={({ currentTarget }) => (selectDraft.value = currentTarget.value)}
      />
    </label>
  );
}

/** The editor's code, once it is loaded. */
const loaded = signal<typeof CodeEditor | undefined>(undefined);

/** The selection in the plain field that the editor replaces, if the field has the focus. */
let selected: CodeEditor.Selected | undefined;

/** The filter as text. A plain field until the editor is loaded, so that the page appears at once. */
function FilterEditor() {
  const host = useRef<HTMLDivElement>(null);
  // Without the editor, the plain field does.
  useEffect(() => void loadEditor().catch(() => {}), []);
  const code = loaded.value;
  // Within the task that draws: a key that comes next is for the editor.
  useLayoutEffect(() => {
    if (!host.current || !code) return;
    const close = code.openEditor(host.current, selected);
    selected = undefined;
    return close;
  }, [code]);
  if (code) return <div ref={host} class="editor" data-focus="filter" />;
  return (
    <input
      class="code"
      data-focus="filter"
      aria-label="$filter"
      placeholder="all entities"
      value={draft.value}
      onInput={({ currentTarget }) => (draft.value = currentTarget.value)}
      onKeyDown={({ key }) => key === 'Enter' && runQuery()}
    />
  );
}

async function loadEditor(): Promise<void> {
  if (loaded.value) return;
  const code = await import('./query/code-editor.js');
  const field = document.activeElement;
  if (field instanceof HTMLInputElement && field.matches('[data-focus=filter]')) {
    selected = { anchor: field.selectionStart ?? 0, head: field.selectionEnd ?? 0 };
  }
  loaded.value = code;
}
