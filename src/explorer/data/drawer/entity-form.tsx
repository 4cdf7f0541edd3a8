import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { EdmType } from '../../../protocol/values/edm.js';
import { faultOf } from '../../client/value.js';
import { mayEdit } from '../../model/identities.js';
import { TypeOptions } from '../../parts/form.js';
import { Icon, IconButton } from '../../parts/icon.js';
import {
  type Draft,
  type Field,
  keyFault,
  nameFault,
  usualText,
  withChange,
  withField,
  withoutField,
} from './draft.js';
import { draft, refusedKeys } from './drawer-state.js';

/** The keys and properties of an entity, each with its type and its error. */
export function EntityForm({ draft: current }: { readonly draft: Draft }) {
  return (
    <>
      <KeyField label="PartitionKey" name="partitionKey" draft={current} />
      <KeyField label="RowKey" name="rowKey" draft={current} refused={refusedKeys.value} />
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
  readonly refused?: string | undefined;
}) {
  const { label, name, draft: current, refused } = props;
  const fault = refused ?? keyFault(current[name]);
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
          refusedKeys.value = undefined;
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
  // A name is not wrong before it is written.
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
          change({ type: next, text: faultOf({ type: next, text }) === undefined ? text : usualText(next) });
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
          onInput={({ currentTarget }) => change({ text: currentTarget.value })}
        />
      ) : type === 'Edm.Boolean' ? (
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
