import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { entityPropertiesMax } from '../../../protocol/limits.js';
import type { Entity } from '../../base/entity.js';
import { bytesOf, type Draft, isValid, jsonOf, withJson } from '../../model/draft.js';
import { draftId, drafts } from '../../model/drafts.js';
import { mayEdit, reader } from '../../model/identities.js';
import { Panel } from '../../parts/panel.js';
import { Reason } from '../../parts/reason.js';
import { EntityHistory } from './entity-history.js';
import { Fault, Fields } from './fields.js';
import { closePanel, draft, focusedProperty, takeBack } from './panel-state.js';
import { insertAgain, isSaving, keepMine, leaveDeleted, save, takeTheirs } from './save.js';

const views = { fields: 'Fields', json: 'JSON', history: 'History' } as const;

type View = keyof typeof views;

const chosenView = signal<View>('fields');

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
  const view = viewOf(current);
  return (
    <Panel
      element={element}
      label={current.loaded ? 'Entity' : 'New entity'}
      title={`${current.loaded ? 'Entity' : 'New entity'} in ${current.table}`}
      onClose={closePanel}
      onKey={({ key, ctrlKey, metaKey }) => {
        if (key === 'Enter' && (ctrlKey || metaKey)) void save();
      }}
      head={
        <fieldset class="choice">
          <legend class="unseen">View</legend>
          <ViewButton name="fields" view={view} isOff={current.json?.fault !== undefined} />
          <ViewButton name="json" view={view} />
          {hasHistory(current) && <ViewButton name="history" view={view} />}
        </fieldset>
      }
      foot={<Footer draft={current} />}
    >
      {current.problem && <ProblemNote draft={current} />}
      {view === 'history' && hasHistory(current) ? (
        <EntityHistory place={current} entity={current.loaded} />
      ) : view === 'json' ? (
        <EntityJson draft={current} />
      ) : (
        <Fields draft={current} />
      )}
    </Panel>
  );
}

/** Returns the view that is shown. Fields would not have the values of a text with a fault. */
function viewOf(current: Draft): View {
  if (chosenView.value === 'history') return hasHistory(current) ? 'history' : 'fields';
  return current.json?.fault ? 'json' : chosenView.value;
}

/** Whether a draft has a history: a new entity has none, and an identity reads only entities. */
function hasHistory(current: Draft): current is Draft & { readonly loaded: Entity } {
  return current.loaded !== undefined && reader.value === undefined;
}

function ViewButton(props: { readonly name: View; readonly view: View; readonly isOff?: boolean }) {
  const { name, view, isOff = false } = props;
  return (
    <button
      type="button"
      aria-pressed={view === name}
      disabled={isOff}
      title={isOff ? 'Correct the JSON first' : undefined}
      onClick={() => (chosenView.value = name)}
    >
      {views[name]}
    </button>
  );
}

function Footer({ draft: current }: { readonly draft: Draft }) {
  const isKept = drafts.value.has(draftId(current));
  return (
    <>
      <p class="small">
        {current.fields.length} of {entityPropertiesMax} properties · {(bytesOf(current) / 1024).toFixed(1)} KiB of 1
        MiB
        {current.loaded && (
          <>
            {' · '}
            <span title={current.loaded.etag}>ETag {shortEtag(current.loaded.etag)}</span>
          </>
        )}
      </p>
      {mayEdit.value && (isKept || !current.loaded) && (
        <div class="actions line">
          {isKept && !isSaving.value && (
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
    </>
  );
}

/** Returns the distinctive part of an ETag: its instant. */
function shortEtag(etag: string): string {
  const [, instant] = /datetime'(.*)'/.exec(etag) ?? [];
  return instant === undefined ? etag : decodeURIComponent(instant).slice(11);
}

/** Why the draft is not saved, with the ways out of a conflict. */
function ProblemNote({ draft: current }: { readonly draft: Draft }) {
  const { text, requestId, theirs, isGone, code } = current.problem ?? { text: '' };
  // The field of the key says it.
  if (code === 'EntityAlreadyExists') return null;
  if (!theirs && !isGone) return <Reason requestId={requestId} text={text} />;
  const [first, second] = isGone ? [leaveDeleted, insertAgain] : [takeTheirs, keepMine];
  return (
    <section class="reason bad" aria-label="Conflict" role="alert">
      <p>{text}</p>
      {mayEdit.value && (
        <div class="actions line">
          <button type="button" disabled={isSaving.value} onClick={() => first(current)}>
            {isGone ? 'Leave it deleted' : 'Take theirs'}
          </button>
          <button type="button" disabled={isSaving.value || !isValid(current)} onClick={() => void second(current)}>
            {isGone ? 'Insert mine again' : 'Keep mine'}
          </button>
        </div>
      )}
    </section>
  );
}

/** The draft as a JSON body of the service. A text that cannot be read stays as it is typed, with its fault. */
function EntityJson({ draft: current }: { readonly draft: Draft }) {
  const fault = current.json?.fault;
  return (
    <>
      <textarea
        class="json code"
        aria-label="Entity as JSON"
        aria-invalid={fault !== undefined}
        aria-describedby="json-fault"
        spellcheck={false}
        readOnly={!mayEdit.value}
        value={jsonOf(current)}
        onInput={({ currentTarget }) => (draft.value = withJson(current, currentTarget.value))}
      />
      <div id="json-fault" role="status">
        <Fault text={fault && `Line ${fault.line}, column ${fault.column}: ${fault.text}`} />
      </div>
    </>
  );
}
