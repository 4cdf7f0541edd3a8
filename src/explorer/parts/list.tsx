import type { ComponentChildren } from 'preact';

/** The head of a table: a cell for the name of each column. */
export function TableHead({ columns }: { readonly columns: readonly string[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col">
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** The class of a query. What reads more than it must has a warning, in words and shape. */
export function ClassMark({ name }: { readonly name: string }) {
  const kind = name === 'table-scan' ? 'bad' : /-scan$|^partition-range$|^cross-/.test(name) ? 'warn' : 'good';
  return (
    <span class={`mark ${kind}`}>
      {kind === 'good' ? '●' : '▲'} {name.replaceAll('-', ' ')}
    </span>
  );
}

/** What is shown in place of nothing: what would be here, and what to do so that there is something. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
