import type { ComponentChildren } from 'preact';

/** The head of a table. Columns of numbers are aligned right. */
export function TableHead(props: { readonly columns: readonly string[]; readonly numbers?: readonly string[] }) {
  const { columns, numbers = [] } = props;
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column} scope="col" class={numbers.includes(column) ? 'number' : undefined}>
            {column}
          </th>
        ))}
      </tr>
    </thead>
  );
}

/** The class of a query, with a warning sign if it reads more than necessary. */
export function ClassMark({ name }: { readonly name: string }) {
  const kind = name === 'table-scan' ? 'bad' : /-scan$|^partition-range$|^cross-/.test(name) ? 'warn' : undefined;
  return <span class={kind && `mark ${kind}`}>{`${kind ? '▲ ' : ''}${name.replaceAll('-', ' ')}`}</span>;
}

/** Shown in place of missing content, with the way to get it. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Returns a number with its noun. */
export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
