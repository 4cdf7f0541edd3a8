import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { readStrictly } from '../../base/strict-json.js';
import { type Draft, isChanged, isValid, jsonOf, withJson } from '../../model/draft.js';
import { keepDraft } from '../../model/drafts.js';
import { mayEdit, reader } from '../../model/identities.js';
import { Panel } from '../../parts/panel.js';
import { Reason } from '../../parts/reason.js';
import { EntityHistory } from './entity-history.js';
import { Fault, Fields } from './fields.js';
import { closePanel, draft, takeBack } from './panel-state.js';
import { isSaving, keepMine, save, takeTheirs } from './save.js';

const views = ['Fields', 'JSON', 'History'] as const;

const chosenView = signal<(typeof views)[number]>('Fields');

/** The open entity, beside the grid. */
export function EntityPanel() {
  const element = useRef<HTMLElement>(null);
  const current = draft.value;
  const isShown = current !== undefined;
  useLayoutEffect(() => {
    // The field of a property takes the focus itself.
    if (element.current?.contains(document.activeElement)) return;
    (element.current?.querySelector<HTMLElement>('input:not([readonly], .add), textarea') ?? element.current)?.focus();
  }, [isShown]);
  if (!current) return null;
  const { base } = current;
  // A new entity has no history, and an identity reads only entities.
  const shownViews = views.filter((view) => view !== 'History' || (base && !reader.value));
  // Fields would not have the values of a text that cannot be read.
  const isWrong = current.json !== undefined;
  const view = isWrong ? 'JSON' : (shownViews.find((one) => one === chosenView.value) ?? 'Fields');
  const kind = base ? 'Entity' : 'New entity';
  return (
    <Panel
      element={element}
      label={kind}
      title={`${kind} in ${current.table}`}
      onClose={closePanel}
      onKey={({ key, ctrlKey, metaKey }) => {
        if (key === 'Enter' && (ctrlKey || metaKey)) void save();
      }}
      head={
        <fieldset class="choice">
          <legend class="unseen">View</legend>
          {shownViews.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={view === one}
              disabled={isWrong && one !== 'JSON'}
              title={isWrong ? 'Correct the JSON first' : undefined}
              onClick={() => (chosenView.value = one)}
            >
              {one}
            </button>
          ))}
        </fieldset>
      }
      foot={mayEdit.value && (isChanged(current) || !base) && <Actions draft={current} />}
    >
      <ProblemNote draft={current} />
      {view === 'Fields' && <Fields draft={current} />}
      {view === 'JSON' && <EntityJson key={current.row} draft={current} />}
      {view === 'History' && base && <EntityHistory place={current} entity={base} />}
    </Panel>
  );
}

function Actions({ draft: current }: { readonly draft: Draft }) {
  return (
    <div class="actions line">
      {isChanged(current) && !isSaving.value && (
        <button type="button" onClick={takeBack}>
          Take back
        </button>
      )}
      <button type="button" class="primary" disabled={!isValid(current) || isSaving.value} onClick={() => void save()}>
        {current.base ? 'Save' : 'Insert'}
      </button>
    </div>
  );
}

/** Why the draft is not saved, with the ways out of a conflict. */
function ProblemNote({ draft: current }: { readonly draft: Draft }) {
  const { text = '', requestId, theirs, isGone, code } = current.problem ?? {};
  // The field of the key says it.
  if (!current.problem || code === 'EntityAlreadyExists') return null;
  if (!theirs && !isGone) return <Reason key={requestId} requestId={requestId} text={text} />;
  return (
    <section class="reason bad" aria-label="Conflict" role="alert">
      <p>{text}</p>
      {mayEdit.value && (
        <div class="actions line">
          {theirs && (
            <button type="button" disabled={isSaving.value} onClick={() => takeTheirs(current, theirs)}>
              Take theirs
            </button>
          )}
          <button type="button" disabled={isSaving.value || !isValid(current)} onClick={() => void keepMine(current)}>
            {isGone ? 'Insert mine again' : 'Keep mine'}
          </button>
        </div>
      )}
    </section>
  );
}

/** The last text in the JSON view: it stays as it is typed while it has the values of the draft. */
const typedJson = signal('');

/** The draft as a JSON body of the service. A text that cannot be read stays as it is typed, with its fault. */
function EntityJson({ draft: current }: { readonly draft: Draft }) {
  const { base, json } = current;
  const read = json === undefined ? undefined : readStrictly(json, base);
  const fault = read && 'fault' in read ? read.fault : undefined;
  const typed = withJson(current, typedJson.value);
  const isAsTyped = !fault && typed.json === undefined && jsonOf(typed) === jsonOf(current);
  return (
    <>
      <textarea
        class="json code"
        aria-label="Entity as JSON"
        aria-invalid={fault !== undefined}
        aria-describedby="json-fault"
        spellcheck={false}
        readOnly={!mayEdit.value}
        value={isAsTyped ? typedJson.value : jsonOf(current)}
        onInput={({ currentTarget }) => {
          typedJson.value = currentTarget.value;
          keepDraft(withJson(current, currentTarget.value));
        }}
      />
      <div id="json-fault" role="status">
        <Fault text={fault && `Line ${fault.line}, column ${fault.column}: ${fault.text}`} />
      </div>
    </>
  );
}
