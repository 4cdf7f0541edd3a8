import { text } from 'node:stream/consumers';
import { getHeapSnapshot } from 'node:v8';

/** The parts of a heap snapshot that are read here. */
interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly [readonly string[]] };
  };
  /** The fields of all nodes, one node after the other. */
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/**
 * Collects the garbage of this process and returns the beginnings of the texts in its heap that begin with one of these marks, or have
 * one among their first thousand characters, and take more than this many bytes.
 */
export async function keptTexts(marks: readonly string[], bytes: number): Promise<readonly string[]> {
  const { snapshot, nodes, strings } = JSON.parse(await text(getHeapSnapshot())) as HeapSnapshot;
  const { node_fields: fields, node_types: types } = snapshot.meta;
  const [type, name, size] = ['type', 'name', 'self_size'].map((field) => fields.indexOf(field)) as [
    number,
    number,
    number,
  ];
  const string = types[0].indexOf('string');
  const kept: string[] = [];
  for (let at = 0; at < nodes.length; at += fields.length) {
    if (nodes[at + type] !== string || (nodes[at + size] ?? 0) <= bytes) continue;
    const beginning = strings[nodes[at + name] ?? 0] ?? '';
    if (marks.some((mark) => beginning.includes(mark))) kept.push(beginning);
  }
  return kept;
}
