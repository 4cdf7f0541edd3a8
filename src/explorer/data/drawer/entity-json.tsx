import { type Signal, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { parseServiceJson, readEntity, writeBody } from '../../client/entity.js';
import { mayEdit } from '../../model/identities.js';
import { type Draft, draftOf, keysOf, propertiesOf } from './draft.js';
import { draft, hasUnreadJson } from './drawer-state.js';

/** What is typed, and what is wrong with it. */
interface Typed {
  readonly text: Signal<string>;
  readonly fault: Signal<string | undefined>;
}

/** The entity as the service takes it in JSON. What is typed changes the draft as soon as it can be read. */
export function EntityJson({ draft: current }: { readonly draft: Draft }) {
  const typed = useMemo(() => begin(current), []);
  const { text, fault } = typed;
  return (
    <>
      <textarea
        class="json code"
        aria-label="Entity as JSON"
        spellcheck={false}
        readOnly={!mayEdit.value}
        aria-invalid={fault.value !== undefined}
        value={text.value}
        onInput={({ currentTarget }) => change(current, typed, currentTarget.value)}
      />
      {fault.value !== undefined && <p class="fault">{fault.value}</p>}
    </>
  );
}

function begin(current: Draft): Typed {
  return {
    text: signal(indent(writeBody(propertiesOf(current), keysOf(current)))),
    fault: signal<string | undefined>(undefined),
  };
}

function change(current: Draft, { text, fault }: Typed, json: string): void {
  text.value = json;
  try {
    const row = parseServiceJson(json);
    if (typeof row !== 'object' || row === null || Array.isArray(row)) throw new Error('Write one JSON object.');
    const { fields, ...next } = draftOf(readEntity(row), current.loaded === undefined);
    const isSame = next.partitionKey === current.partitionKey && next.rowKey === current.rowKey;
    if (current.loaded && !isSame) throw new Error("An entity's keys cannot be changed. Clone it instead.");
    draft.value = { ...current, ...(current.loaded ? {} : next), fields };
    fault.value = undefined;
    hasUnreadJson.value = false;
  } catch (error) {
    fault.value = error instanceof Error ? error.message : String(error);
    hasUnreadJson.value = true;
  }
}

/** Puts each member of a flat object on a line of its own. Numbers stay as they are written. */
function indent(json: string): string {
  const members = json.slice(1, -1).match(/"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[^,]*)/g) ?? [];
  return `{\n${members.map((member) => `  ${member.replace(/^("(?:[^"\\]|\\.)*"):/, '$1: ')}`).join(',\n')}\n}`;
}
