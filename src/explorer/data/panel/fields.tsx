import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { EdmType } from '../../../protocol/values/edm.js';
import type { EntityKeys } from '../../base/entity.js';
import { keyFault } from '../../base/strict-json.js';
import { faultOf, shownValue, type Value } from '../../base/value.js';
import {
  type Draft,
  type Field,
  isSameValue,
  keepBreaks,
  nameFault,
  rebase,
  usualText,
  withChange,
  withField,
  withKey,
  withoutChange,
  withoutField,
} from '../../model/draft.js';
import { mayEdit } from '../../model/identities.js';
import { TypeOptions } from '../../parts/form.js';
import { Icon, IconButton } from '../../parts/icon.js';
import { draft } from './panel-state.js';
import { ValueView } from './value-view.js';

/** The keys and properties of an entity, one line each: name, value, type, and the way back. */
export function Fields({ draft: current }: { readonly draft: Draft }) {
  const { loaded, fields, problem } = current;
  const removed = [...(loaded?.properties.keys() ?? [])].filter((name) => fields.every((one) => one.name !== name));
  const overlap = problem?.theirs ? rebase(current, problem.theirs).overlap : [];
  const clashOf = (name: string) => (overlap.includes(name) ? <Clash name={name} draft={current} /> : null);
  return (
    <div class="properties">
      <KeyField label="PartitionKey" name="partitionKey" draft={current} />
      <KeyField label="RowKey" name="rowKey" draft={current} />
      {loaded && <KeyField label="Timestamp" draft={current} />}
      {fields.map((field) => (
        <PropertyField key={field.id} draft={current} field={field}>
          {clashOf(field.name)}
        </PropertyField>
      ))}
      {removed.map((name) => (
        <div key={name} class="field removed">
          <del class="name cut">{name}</del>
          <span class="faint">will be removed</span>
          <span />
          <TakeBack draft={current} name={name} />
          {clashOf(name)}
        </div>
      ))}
      {mayEdit.value && (
        <button type="button" class="quiet add" onClick={() => (draft.value = withField(current))}>
          <Icon name="add" />
          Add a property
        </button>
      )}
    </div>
  );
}

function TakeBack({ draft: current, name }: { readonly draft: Draft; readonly name: string }) {
  if (!mayEdit.value) return null;
  return (
    <IconButton icon="undo" label={`Restore ${name}`} onClick={() => (draft.value = withoutChange(current, name))} />
  );
}

/** The other two values of a property that someone else has changed, too: the field has mine. */
function Clash({ name, draft: { loaded, problem } }: { readonly name: string; readonly draft: Draft }) {
  const textOf = (value: Value | undefined) => (value ? shownValue(value) : 'no such property');
  return (
    <p class="fault">
      Theirs: <code>{textOf(problem?.theirs?.properties.get(name))}</code>, when opened:{' '}
      <code>{textOf(loaded?.properties.get(name))}</code>
    </p>
  );
}

/** A key, or the Timestamp. Those of a stored entity cannot change. */
function KeyField(props: { readonly label: string; readonly draft: Draft; readonly name?: keyof EntityKeys }) {
  const { label, draft: current, name } = props;
  const { problem, loaded } = current;
  const isTaken = name === 'rowKey' && problem?.code === 'EntityAlreadyExists';
  const fault = isTaken ? problem.text : name && keyFault(current[name]);
  return (
    <div class="field key">
      <label class="name cut" for={`key-${label}`}>
        {label}
      </label>
      <input
        id={`key-${label}`}
        value={name ? current[name] : loaded?.timestamp}
        readOnly={loaded !== undefined || !mayEdit.value}
        aria-invalid={fault !== undefined}
        aria-describedby={fault && `${label}-fault`}
        onInput={({ currentTarget }) => {
          if (name) draft.value = withKey(current, name, currentTarget.value);
        }}
      />
      <Fault id={`${label}-fault`} text={fault} />
    </div>
  );
}

/** About how many characters a line of the field has, where the browser does not fit it to its text. */
const lineUnits = 24;

function PropertyField(props: { readonly draft: Draft; readonly field: Field; readonly children: ComponentChildren }) {
  const { draft: current, field, children } = props;
  const { id, name, type, text } = field;
  const before = current.loaded?.properties.get(name);
  // A name is not wrong before it is typed.
  const [hasLeft, leave] = useState(name !== '');
  const wrongName = name === '' && !hasLeft ? undefined : nameFault(current, field);
  const wrongValue = faultOf(field);
  const change = (changed: Partial<Field>) => (draft.value = withChange(current, id, changed));
  const shared = {
    'data-property': name,
    'aria-label': `Value of ${name || 'the new property'}`,
    'aria-invalid': wrongValue !== undefined,
    'aria-describedby': wrongValue && `fault-${id}`,
  };
  const nameField = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (name === '') nameField.current?.focus();
  }, []);
  return (
    <div class={`field${before && !isSameValue(before, field) ? ' dirty' : ''}`}>
      {before ? (
        <span class="name cut" title={name}>
          {name}
        </span>
      ) : (
        <input
          ref={nameField}
          onBlur={() => leave(true)}
          aria-label="Name of the property"
          value={name}
          readOnly={!mayEdit.value}
          aria-invalid={wrongName !== undefined}
          aria-describedby={wrongName && `fault-${id}`}
          onInput={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      )}
      {type === 'Edm.Boolean' && wrongValue === undefined ? (
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
        <textarea
          {...shared}
          class={type === 'Edm.String' ? undefined : 'code'}
          rows={Math.min(8, text.split('\n').length + Math.floor(text.length / lineUnits))}
          spellcheck={false}
          readOnly={!mayEdit.value}
          value={text}
          onInput={({ currentTarget }) => {
            const typed = keepBreaks(text, currentTarget.value);
            change({ text: type === 'Edm.String' ? typed : typed.trim() });
          }}
        />
      )}
      <select
        class="type"
        aria-label={`Type of ${name || 'the new property'}`}
        title={type}
        value={type}
        disabled={!mayEdit.value}
        onChange={({ currentTarget }) => {
          const next = currentTarget.value as EdmType;
          change({ type: next, text: text === '' ? usualText(next) : text });
        }}
      >
        <TypeOptions isShort />
      </select>
      {before && !isSameValue(before, field) ? (
        <TakeBack draft={current} name={name} />
      ) : (
        mayEdit.value && (
          <IconButton
            icon="close"
            label={`Remove ${name || 'the new property'}`}
            onClick={() => (draft.value = withoutField(current, id))}
          />
        )
      )}
      <Fault id={`fault-${id}`} text={wrongName ?? wrongValue} />
      {children}
      <ValueView name={name} value={field} onLoad={(loaded) => change({ text: loaded })} />
    </div>
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
