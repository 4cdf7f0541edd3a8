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

/** Returns whether a query of a class reads more than it needs. */
export function isScan(name: string): boolean {
  return /-scan$|^partition-range$|^cross-/.test(name);
}

/** The class of a query, with a warning sign if it reads more than necessary. */
export function ClassMark({ name }: { readonly name: string }) {
  const kind = name === 'table-scan' ? 'bad' : isScan(name) ? 'warn' : undefined;
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

/** In place of requests, or of findings about them, of a server without a journal. */
export function JournalOff() {
  return (
    <Empty title="The journal is off">
      <p>
        Start the server without <code>--journal 0</code> to see its requests, and what the coach finds in them.
      </p>
    </Empty>
  );
}

/** Names, each before its value. Those without one are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [ComponentChildren, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(
        ([name, value], at) =>
          value !== undefined && (
            <div key={at}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Returns a number with its noun. */
export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? one : many}`;
}
