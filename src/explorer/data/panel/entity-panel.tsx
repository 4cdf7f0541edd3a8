import { signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { WrittenChange } from '../../../insight/journal/changes/written-change.js';
import { entityPropertiesMax } from '../../../protocol/limits.js';
import type { EdmType } from '../../../protocol/values/edm.js';
import { type Entity, writeBody } from '../../base/entity.js';
import { faultOf } from '../../base/value.js';
import {
  bytesOf,
  type Draft,
  type DraftPlace,
  type Field,
  isValid,
  keepBreaks,
  keyFault,
  keysOf,
  nameFault,
  propertiesOf,
  usualText,
  withChange,
  withField,
  withoutField,
} from '../../model/draft.js';
import { draftId, drafts } from '../../model/drafts.js';
import { mayEdit, reader } from '../../model/identities.js';
import { showError } from '../../model/notices.js';
import { hrefOf } from '../../model/route.js';
import { TypeOptions } from '../../parts/form.js';
import { Icon, IconButton } from '../../parts/icon.js';
import { askJournal, server } from '../../wire/control-client.js';
import { closePanel, draft, focusedProperty, rejectedKeys, takeBack } from './panel-state.js';
import { isSaving, save } from './save.js';

type View = 'form' | 'json' | 'history';

const view = signal<View>('form');

/** The open entity, beside the grid. */
export function EntityPanel() {
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
      class="panel"
      aria-label={current.loaded ? 'Entity' : 'New entity'}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.preventDefault();
          closePanel();
        } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
      }}
    >
      <header>
        <h2 class="cut">{`${current.loaded ? 'Entity' : 'New entity'} in ${current.table}`}</h2>
        <fieldset class="choice">
          <legend class="unseen">View</legend>
          <ViewButton name="form" label="Form" />
          <ViewButton name="json" label="JSON" />
          {hasHistory(current) && <ViewButton name="history" label="History" />}
        </fieldset>
        <IconButton icon="close" label="Close" onClick={closePanel} />
      </header>
      <div class="body">
        <PanelView draft={current} />
      </div>
      <PanelFooter draft={current} />
    </section>
  );
}

function PanelView({ draft: current }: { readonly draft: Draft }) {
  if (view.value === 'history' && hasHistory(current)) return <EntityHistory place={current} entity={current.loaded} />;
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

function PanelFooter({ draft: current }: { readonly draft: Draft }) {
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
          {drafts.value.has(draftId(current)) && !isSaving.value && (
            <button type="button" onClick={takeBack}>
              Take back
            </button>
          )}
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

/** Returns the distinctive part of an ETag: its instant. */
function shortEtag(etag: string): string {
  const [, instant] = /datetime'(.*)'/.exec(etag) ?? [];
  return instant === undefined ? etag : decodeURIComponent(instant).slice(11);
}

/** The draft as a JSON body of the service. Read-only: JavaScript numbers would lose digits and types. */
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

/** Puts each member of a flat object on its own line. Numbers stay as they are written. */
function indent(json: string): string {
  const members = json.slice(1, -1).match(/"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[^,]*)/g) ?? [];
  return `{\n${members.map((member) => `  ${member.replace(/^("(?:[^"\\]|\\.)*"):/, '$1: ')}`).join(',\n')}\n}`;
}

/** The changes to an entity that the journal still has, the newest first. */
function EntityHistory({ place: { account, table }, entity }: { readonly place: DraftPlace; readonly entity: Entity }) {
  const changes = useSignal<readonly WrittenChange[] | undefined>(undefined);
  useEffect(() => {
    readHistory({ account, table }, entity).then((found) => {
      changes.value = found;
    }, showError);
  }, [entity]);
  if (!changes.value) return null;
  if (changes.value.length === 0) return <p>This server's journal has no changes to this entity.</p>;
  return (
    <ul class="things">
      {changes.value.map((change) => (
        <li key={change.seq}>
          <span class="mark">{change.kind}</span>
          <time dateTime={change.at}>{new Date(change.at).toLocaleTimeString('en-GB')}</time>
          {change.etag === entity.etag && <span class="mark good">as it is now</span>}
          {change.mark !== undefined && <span class="faint">{change.mark}</span>}
          {change.requestId !== undefined && (
            <a
              href={hrefOf({
                tab: 'requests',
                item: undefined,
                params: new Map([
                  ['text', change.requestId],
                  ['explorer', '1'],
                ]),
              })}
            >
              Request
            </a>
          )}
        </li>
      ))}
    </ul>
  );
}

/** Asks the journal for the changes of a table. A server without a journal has none. */
async function readHistory(scope: DraftPlace, { partitionKey, rowKey }: Entity): Promise<readonly WrittenChange[]> {
  const changes = (await askJournal(() => server.changes.list(scope), 1)) ?? [];
  return changes.filter((one) => one.partitionKey === partitionKey && one.rowKey === rowKey).reverse();
}

/** The keys and properties of an entity, each with its type and its error. */
function EntityForm({ draft: current }: { readonly draft: Draft }) {
  return (
    <>
      <KeyField label="PartitionKey" name="partitionKey" draft={current} />
      <KeyField label="RowKey" name="rowKey" draft={current} rejected={rejectedKeys.value} />
      <div class="fields">
        {current.fields.map((field) => (
          <PropertyField key={field.id} draft={current} field={field} />
        ))}
      </div>
      {mayEdit.value && (
        <button type="button" onClick={() => (draft.value = withField(current))}>
          <Icon name="add" />
          Add a property
        </button>
      )}
    </>
  );
}

function KeyField(props: {
  readonly label: string;
  readonly name: 'partitionKey' | 'rowKey';
  readonly draft: Draft;
  readonly rejected?: string | undefined;
}) {
  const { label, name, draft: current, rejected } = props;
  const fault = rejected ?? keyFault(current[name]);
  return (
    <div class="key">
      <label for={name}>{label}</label>
      <input
        id={name}
        value={current[name]}
        readOnly={current.loaded !== undefined}
        aria-invalid={fault !== undefined}
        aria-describedby={fault && `${name}-fault`}
        onInput={({ currentTarget }) => {
          rejectedKeys.value = undefined;
          draft.value = { ...current, [name]: currentTarget.value };
        }}
      />
      <Fault id={`${name}-fault`} text={fault} />
    </div>
  );
}

function PropertyField({ draft: current, field }: { readonly draft: Draft; readonly field: Field }) {
  const { id, name, type, text } = field;
  const isNew = !current.loaded?.properties.has(name);
  // A name is not wrong before it is typed.
  const [hasLeft, leave] = useState(name !== '');
  const wrongName = name === '' && !hasLeft ? undefined : nameFault(current, field);
  const wrongValue = faultOf(field);
  const change = (changed: Partial<Field>) => (draft.value = withChange(current, id, changed));
  const shared = {
    'data-property': name,
    readOnly: !mayEdit.value,
    'aria-label': `Value of ${name || 'the new property'}`,
  };
  const nameField = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (name === '') nameField.current?.focus();
  }, []);
  const invalid = { 'aria-invalid': wrongValue !== undefined, 'aria-describedby': wrongValue && `fault-${id}` };
  return (
    <div class="field">
      <input
        ref={nameField}
        class="name"
        onBlur={() => leave(true)}
        aria-label="Name of the property"
        value={name}
        readOnly={!isNew}
        aria-invalid={wrongName !== undefined}
        aria-describedby={wrongName && `fault-${id}`}
        onInput={({ currentTarget }) => change({ name: currentTarget.value })}
      />
      <select
        aria-label={`Type of ${name || 'the new property'}`}
        value={type}
        disabled={!mayEdit.value}
        onChange={({ currentTarget }) => {
          const next = currentTarget.value as EdmType;
          change({ type: next, text: text === '' ? usualText(next) : text });
        }}
      >
        <TypeOptions />
      </select>
      {mayEdit.value && (
        <IconButton
          icon="close"
          label={`Remove ${name || 'the new property'}`}
          onClick={() => (draft.value = withoutField(current, id))}
        />
      )}
      {type === 'Edm.String' ? (
        <textarea
          {...shared}
          {...invalid}
          rows={text.length > 60 || text.includes('\n') ? 4 : 1}
          value={text}
          onInput={({ currentTarget }) => change({ text: keepBreaks(text, currentTarget.value) })}
        />
      ) : type === 'Edm.Boolean' && wrongValue === undefined ? (
        <select
          {...shared}
          disabled={!mayEdit.value}
          value={text}
          onChange={({ currentTarget }) => change({ text: currentTarget.value })}
        >
          <option>true</option>
          <option>false</option>
        </select>
      ) : (
        <input
          {...shared}
          {...invalid}
          class="code"
          value={text}
          onInput={({ currentTarget }) => change({ text: currentTarget.value.trim() })}
        />
      )}
      <Fault id={`fault-${id}`} text={wrongName ?? wrongValue} />
    </div>
  );
}

function Fault({ id, text }: { readonly id: string; readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p id={id} class="fault">
      {text}
    </p>
  );
}
