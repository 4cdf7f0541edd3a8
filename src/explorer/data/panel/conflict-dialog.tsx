import type { Entity } from '../../base/entity.js';
import { shownValue, type Value } from '../../base/value.js';
import { isSameValue, propertiesOf } from '../../model/draft.js';
import { Dialog } from '../../parts/dialog.js';
import { TableHead } from '../../parts/list.js';
import { conflict, insertAgain, keepMine, takeTheirs } from './save.js';

/** Shows the change of someone else to an entity that the user has changed, and lets the user choose. */
export function ConflictDialog() {
  const current = conflict.value;
  if (!current) return null;
  const { draft, theirs } = current;
  const mine = propertiesOf(draft);
  const close = () => (conflict.value = undefined);
  return (
    <Dialog label="Someone else changed the entity" onClose={close}>
      <h2>{theirs ? 'Someone else changed the entity' : 'Someone else deleted the entity'}</h2>
      <p>
        {draft.table} <b>{draft.partitionKey}</b> / <b>{draft.rowKey}</b>
      </p>
      {theirs && draft.loaded && <Difference loaded={draft.loaded} theirs={theirs} mine={mine} />}
      <p>
        {theirs
          ? 'Both of you changed the same property. Keep yours there, or take theirs to discard all of your changes.'
          : 'Insert yours again, or take theirs to leave it deleted.'}
      </p>
      <div class="actions line">
        <button type="button" onClick={close}>
          Continue editing
        </button>
        <button type="button" onClick={takeTheirs}>
          Take theirs
        </button>
        <button type="button" class="primary" onClick={() => void (theirs ? keepMine() : insertAgain())}>
          {theirs ? 'Keep mine' : 'Insert mine again'}
        </button>
      </div>
    </Dialog>
  );
}

function Difference(props: {
  readonly loaded: Entity;
  readonly theirs: Entity;
  readonly mine: ReadonlyMap<string, Value>;
}) {
  const { loaded, theirs, mine } = props;
  const names = new Set([...loaded.properties.keys(), ...theirs.properties.keys(), ...mine.keys()]);
  const rows = [...names]
    .map((name) => ({
      name,
      values: [loaded.properties.get(name), theirs.properties.get(name), mine.get(name)] as const,
    }))
    .filter(({ values: [before, now, wanted] }) => !isSameValue(before, now) || !isSameValue(before, wanted));
  return (
    <table class="difference">
      <TableHead columns={['Property', 'When opened', 'Theirs', 'Mine']} />
      <tbody>
        {rows.map(({ name, values: [before, now, wanted] }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{textOf(before)}</td>
            <td class={isSameValue(before, now) ? '' : 'changed'}>{textOf(now)}</td>
            <td class={isSameValue(before, wanted) ? '' : 'changed'}>{textOf(wanted)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function textOf(value: Value | undefined): string {
  return value === undefined ? '—' : shownValue(value);
}
