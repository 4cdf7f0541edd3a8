import { useLayoutEffect, useRef } from 'preact/hooks';
import { type EdmType, edmTypes } from '../../../protocol/values/edm.js';
import type { EntityKeys } from '../../base/entity.js';
import { keyFault } from '../../base/strict-json.js';
import { faultOf, shownValue, typeMarks, type Value } from '../../base/value.js';
import { type Draft, keepBreaks, nameFault, overlapOf, typedValue, withAdded, withChange } from '../../model/draft.js';
import { keepDraft } from '../../model/drafts.js';
import { mayEdit } from '../../model/identities.js';
import { IconButton } from '../../parts/icon.js';
import { focusedProperty } from './panel-state.js';
import { ValueView } from './value-view.js';

/** The keys and properties of an entity, one line each: name, value, type, and the way back. */
export function Fields({ draft }: { readonly draft: Draft }) {
  const { base, changes } = draft;
  const names = new Set([...(base?.properties.keys() ?? []), ...changes.keys()]);
  return (
    <div class="properties">
      <KeyField label="PartitionKey" name="partitionKey" draft={draft} />
      <KeyField label="RowKey" name="rowKey" draft={draft} />
      {base && <KeyField label="Timestamp" draft={draft} />}
      {[...names].map((name) => (
        <PropertyField key={name} draft={draft} name={name} />
      ))}
      {mayEdit.value && <NextProperty draft={draft} />}
    </div>
  );
}

/** A key, or the Timestamp. Those of a stored entity cannot change. */
function KeyField(props: { readonly label: string; readonly draft: Draft; readonly name?: keyof EntityKeys }) {
  const { label, draft, name } = props;
  const { problem, base } = draft;
  const isTaken = name === 'rowKey' && problem?.code === 'EntityAlreadyExists';
  const fault = isTaken ? problem.text : name && keyFault(draft[name]);
  return (
    <div class="field key">
      <label class="name cut" for={`key-${label}`}>
        {label}
      </label>
      <input
        id={`key-${label}`}
        value={name ? draft[name] : base?.timestamp}
        readOnly={base !== undefined || !mayEdit.value}
        aria-invalid={fault !== undefined}
        aria-describedby={fault && `${label}-fault`}
        onInput={({ currentTarget }) => {
          if (name) keepDraft({ ...draft, [name]: currentTarget.value, problem: undefined });
        }}
      />
      <Fault id={`${label}-fault`} text={fault} />
    </div>
  );
}

/** About how many characters a line of the field has, where the browser does not fit it to its text. */
const lineUnits = 24;

function PropertyField({ draft, name }: { readonly draft: Draft; readonly name: string }) {
  const { base, changes, problem } = draft;
  const [value, isTyped] = [typedValue(draft, name), changes.has(name)];
  const before = base?.properties.get(name);
  const fault = value && faultOf(value);
  const change = (next: Value | undefined) => keepDraft(withChange(draft, name, next));
  const isClash = problem?.theirs && overlapOf(draft, problem.theirs).includes(name);
  return (
    <div class={`field${isTyped && before ? ' dirty' : ''}`}>
      <span class="name cut" title={name}>
        {value ? name : <del>{name}</del>}
      </span>
      {value ? (
        <ValueField name={name} value={value} fault={fault} change={change} />
      ) : (
        <span class="faint removed">will be removed</span>
      )}
      {mayEdit.value && (
        <IconButton
          {...(isTyped && before
            ? { icon: 'undo', label: `Restore ${name}`, onClick: () => change(before) }
            : { icon: 'close', label: `Remove ${name}`, onClick: () => change(undefined) })}
        />
      )}
      <Fault id={`fault-${name}`} text={fault} />
      {isClash && (
        <p class="fault">
          Theirs: <code>{textOf(problem.theirs?.properties.get(name))}</code>, when opened:{' '}
          <code>{textOf(before)}</code>
        </p>
      )}
      {value && <ValueView name={name} value={value} onLoad={(text) => change({ ...value, text })} />}
    </div>
  );
}

function textOf(value: Value | undefined): string {
  return value ? shownValue(value) : 'no such property';
}

function ValueField(props: {
  readonly name: string;
  readonly value: Value;
  readonly fault: string | undefined;
  readonly change: (value: Value) => void;
}) {
  const { name, value, fault, change } = props;
  const { type, text } = value;
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (focusedProperty.peek() === name) field.current?.focus();
  }, []);
  return (
    <>
      <textarea
        ref={field}
        aria-label={`Value of ${name}`}
        aria-invalid={fault !== undefined}
        aria-describedby={fault && `fault-${name}`}
        class={type === 'Edm.String' ? undefined : 'code'}
        rows={Math.min(8, text.split('\n').length + Math.floor(text.length / lineUnits))}
        spellcheck={false}
        readOnly={!mayEdit.value}
        value={text}
        onInput={({ currentTarget }) => {
          const typed = keepBreaks(text, currentTarget.value);
          change({ type, text: type === 'Edm.String' ? typed : typed.trim() });
        }}
      />
      <select
        class="type"
        aria-label={`Type of ${name}`}
        title={type}
        value={type}
        disabled={!mayEdit.value}
        onChange={({ currentTarget }) => change({ type: currentTarget.value as EdmType, text })}
      >
        {edmTypes.map((one) => (
          <option key={one} value={one}>
            {typeMarks[one]}
          </option>
        ))}
      </select>
    </>
  );
}

/** The name of the next property, which Enter or Tab adds. */
function NextProperty({ draft }: { readonly draft: Draft }) {
  const fault = nameFault(draft);
  return (
    <>
      <input
        class="add"
        placeholder="Add a property"
        aria-label="Name of a new property"
        value={draft.adding ?? ''}
        aria-invalid={fault !== undefined}
        aria-describedby="fault-of-name"
        onInput={({ currentTarget }) => keepDraft({ ...draft, adding: currentTarget.value })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && (event.key !== 'Tab' || event.shiftKey)) return;
          const next = withAdded(draft);
          if (next === draft) return;
          if (event.key === 'Tab') event.preventDefault();
          focusedProperty.value = draft.adding;
          keepDraft(next);
        }}
      />
      <Fault id="fault-of-name" text={fault} />
    </>
  );
}

/** The fault of a field, below it. */
export function Fault({ id, text }: { readonly id?: string; readonly text: string | undefined }) {
  return text === undefined ? null : (
    <p id={id} class="fault">
      {text}
    </p>
  );
}
