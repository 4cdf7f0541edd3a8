import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { entityPropertiesMax } from '../../../protocol/limits.js';
import { type Entity, writeBody } from '../../client/entity.js';
import { mayEdit, reader } from '../../model/identities.js';
import { IconButton } from '../../parts/icon.js';
import { bytesOf, type Draft, isValid, keysOf, propertiesOf } from './draft.js';
import { draft, focusedProperty, leaveDrawer } from './drawer-state.js';
import { EntityForm } from './entity-form.js';
import { EntityHistory } from './entity-history.js';
import { isSaving, save } from './save.js';

/** The ways to look at an entity. */
type View = 'form' | 'json' | 'history';

const view = signal<View>('form');

/** The entity that is open, beside the grid. */
export function EntityDrawer() {
  const element = useRef<HTMLElement>(null);
  const current = draft.value;
  const isShown = current !== undefined;
  useLayoutEffect(() => {
    if (!isShown) return;
    const name = focusedProperty.value;
    const field =
      name === undefined
        ? undefined
        : element.current?.querySelector<HTMLElement>(`[data-property="${CSS.escape(name)}"]`);
    (
      field ??
      element.current?.querySelector<HTMLElement>('input:not([readonly]), [data-property]') ??
      element.current
    )?.focus();
  }, [isShown]);
  if (!current) return null;
  return (
    <section
      ref={element}
      class="drawer"
      aria-label={current.loaded ? 'Entity' : 'New entity'}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          // The browser would close the question by the same key.
          event.preventDefault();
          void leaveDrawer();
        } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
      }}
    >
      <header>
        <h2>{current.loaded ? 'Entity' : 'New entity'}</h2>
        <fieldset class="choice">
          <legend class="unseen">View</legend>
          <ViewButton name="form" label="Form" />
          <ViewButton name="json" label="JSON" />
          {hasHistory(current) && <ViewButton name="history" label="History" />}
        </fieldset>
        <IconButton icon="close" label="Close" onClick={() => void leaveDrawer()} />
      </header>
      <div class="body">
        <DrawerView draft={current} />
      </div>
      <DrawerFooter draft={current} />
    </section>
  );
}

function DrawerView({ draft: current }: { readonly draft: Draft }) {
  if (view.value === 'history' && hasHistory(current)) return <EntityHistory entity={current.loaded} />;
  return view.value === 'json' ? <EntityJson draft={current} /> : <EntityForm draft={current} />;
}

/** Whether a draft has a history: a new entity has none, and an identity reads only entities. */
function hasHistory(current: Draft): current is Draft & { readonly loaded: Entity } {
  return current.loaded !== undefined && reader.value === undefined;
}

function ViewButton({ name, label }: { readonly name: View; readonly label: string }) {
  return (
    <button type="button" aria-pressed={view.value === name} onClick={() => (view.value = name)}>
      {label}
    </button>
  );
}

function DrawerFooter({ draft: current }: { readonly draft: Draft }) {
  const bytes = bytesOf(current);
  return (
    <footer>
      <p class="small">
        {current.fields.length} of {entityPropertiesMax} properties · {(bytes / 1024).toFixed(1)} KiB of 1 MiB
        {current.loaded && (
          <>
            {' · '}
            <span title={current.loaded.etag}>ETag {shortEtag(current.loaded.etag)}</span>
          </>
        )}
      </p>
      {mayEdit.value && (
        <div class="actions line">
          <button type="button" onClick={() => void leaveDrawer()}>
            Cancel
          </button>
          <button
            type="button"
            class="primary"
            disabled={!isValid(current) || isSaving.value}
            onClick={() => void save()}
          >
            {current.loaded ? 'Save' : 'Insert'}
          </button>
        </div>
      )}
    </footer>
  );
}

/** Returns the part of an ETag that differs between two of them: its instant. */
function shortEtag(etag: string): string {
  const [, instant] = /datetime'(.*)'/.exec(etag) ?? [];
  return instant === undefined ? etag : decodeURIComponent(instant).slice(11);
}

/** The draft as the service takes it in JSON. It is only read: numbers of JavaScript would lose digits and types. */
function EntityJson({ draft }: { readonly draft: Draft }) {
  return (
    <textarea
      class="json code"
      aria-label="Entity as JSON"
      readOnly
      value={indent(writeBody(propertiesOf(draft), keysOf(draft)))}
    />
  );
}

/** Puts each member of a flat object on a line of its own. Numbers stay as they are written. */
function indent(json: string): string {
  const members = json.slice(1, -1).match(/"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[^,]*)/g) ?? [];
  return `{\n${members.map((member) => `  ${member.replace(/^("(?:[^"\\]|\\.)*"):/, '$1: ')}`).join(',\n')}\n}`;
}
