/** The lines of each icon in a 16 by 16 square, drawn in the color of the text. */
const lines = {
  logo: 'M2 3.5h12v9H2zM2 6.5h12M6 6.5v6',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3 8.5l3.2 3.2L13 5',
  error: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3.5M8 10.6v.4',
  warning: 'M8 2.5l6 11H2zM8 6.5v3M8 11.3v.4',
  add: 'M8 3v10M3 8h10',
  refresh: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  table: 'M2.5 3.5h11v9h-11zM2.5 6.5h11M2.5 9.5h11M6.5 6.5v6',
  delete: 'M3.5 4.5h9M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M7 7v4M9 7v4',
  copy: 'M5.5 5.5h7v8h-7zM10.5 5.5v-3h-7v8h2',
  more: 'M3.5 7.5h1v1h-1zM7.5 7.5h1v1h-1zM11.5 7.5h1v1h-1z',
  down: 'M4 6l4 4 4-4',
  run: 'M5 3.5l7.5 4.5L5 12.5z',
  import: 'M8 2.5v7M5 6.5l3 3 3-3M3 12.5h10',
  export: 'M8 9.5v-7M5 5.5l3-3 3 3M3 12.5h10',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  undo: 'M6 3.5L3 6.5l3 3M3 6.5h6a3.3 3.3 0 0 1 0 6.5H6',
  branch: 'M5 2.5v11M5 9c5 0 6-1.5 6-5M3.5 4L5 2.5 6.5 4M9.5 5.5L11 4l1.5 1.5',
} as const;

/** The name of an icon. */
export type IconName = keyof typeof lines;

/** An icon beside a text, or in a labeled button. Screen readers skip it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={lines[name]} />
    </svg>
  );
}

/** A button with only an icon. Screen readers read its label, and it is the tooltip. */
export function IconButton(props: { readonly icon: IconName; readonly label: string; readonly onClick: () => void }) {
  const { icon, label, onClick } = props;
  return (
    <button type="button" class="quiet" aria-label={label} title={label} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
