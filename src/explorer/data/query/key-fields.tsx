import { useSignal } from '@preact/signals';
import { type KeyLookup, readKeys, writeKeys } from '../../base/key-lookup.js';
import { draft } from './query.js';

const hint = 'ab is this key, ab* begins with ab, a..b is from a to b; \\ before a sign makes it a part of the key';

/** Two fields that find by the keys without OData. They write their conditions into the filter, and show those that it has. */
export function KeyFields() {
  return (
    <>
      <KeyField name="PartitionKey" part="partition" />
      <KeyField name="RowKey" part="row" />
    </>
  );
}

function KeyField({ name, part }: { readonly name: string; readonly part: keyof KeyLookup }) {
  // The text as it is typed, while the filter says that: it may have another form there.
  const typed = useSignal({ text: '', filter: '' });
  return (
    <input
      class="key-field"
      aria-label={name}
      aria-description={hint}
      title={hint}
      placeholder={name}
      value={typed.value.filter === draft.value ? typed.value.text : readKeys(draft.value)[part]}
      onInput={({ currentTarget: { value } }) => {
        draft.value = writeKeys({ ...readKeys(draft.value), [part]: value });
        typed.value = { text: value, filter: draft.value };
      }}
    />
  );
}
