/** The class of a query. What reads more than it must has a warning, in words and shape. */
export function ClassMark({ name }: { readonly name: string }) {
  const kind = name === 'table-scan' ? 'bad' : /-scan$|^partition-range$|^cross-/.test(name) ? 'warn' : 'good';
  return (
    <span class={`mark ${kind}`}>
      {kind === 'good' ? '●' : '▲'} {name.replaceAll('-', ' ')}
    </span>
  );
}
