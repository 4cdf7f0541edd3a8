import { areStored, draftId, hrefOfDraft, unsaved } from '../model/drafts.js';
import { Menu } from './menu.js';

/** How many drafts are named; the others are in a menu. (Our choice.) */
const namedMax = 3;

/** The texts that are typed and not saved, in every table, as links to them. */
export function Unsaved() {
  if (unsaved.value.length === 0) return null;
  const named = unsaved.value.map((draft) => ({
    label: `${draft.table} ${draft.base ? `${draft.partitionKey} / ${draft.rowKey}` : 'new entity'}`,
    id: draftId(draft),
    href: hrefOfDraft(draft),
  }));
  const rest = named.slice(namedMax);
  return (
    <span class="unsaved pair">
      <b>{areStored.value ? 'Not saved:' : 'Not saved, and lost by a reload:'}</b>
      {named.slice(0, namedMax).map(({ id, label, href }) => (
        <a key={id} class="cut" href={href} title={label}>
          {label}
        </a>
      ))}
      {rest.length > 0 && (
        <Menu
          label={`${rest.length} more`}
          items={rest.map(({ label, href }) => ({ label, run: () => (location.hash = href) }))}
        />
      )}
    </span>
  );
}
