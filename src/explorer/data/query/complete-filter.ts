import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { EdmType } from '../../../protocol/values/edm.js';
import { propertyOf } from '../../base/entity.js';
import { literalOf } from '../../base/value.js';
import { columns } from '../columns.js';
import { loadedEntities } from '../rows.js';

/** Number of entities searched for values, and of values offered. (Our choice.) */
const sampledMax = 200;
const valuesMax = 12;

/** How much text before the caret completion examines. Unit: UTF-16 code units. (Our choice: a link can have a very long filter.) */
const nearUnits = 1000;

const operators: readonly Completion[] = [
  { label: 'eq', detail: 'equal' },
  { label: 'ne', detail: 'not equal' },
  { label: 'gt', detail: 'greater than' },
  { label: 'ge', detail: 'greater than or equal' },
  { label: 'lt', detail: 'less than' },
  { label: 'le', detail: 'less than or equal' },
].map((one) => ({ ...one, apply: `${one.label} ` }));

const joins: readonly Completion[] = ['and', 'or'].map((label) => ({ label, apply: `${label} ` }));

/** Sample literals of each type. */
const literals: Readonly<Partial<Record<EdmType, readonly string[]>>> = {
  'Edm.Boolean': ['true', 'false'],
  'Edm.Int64': ['0L'],
  'Edm.Double': ['0.0'],
  'Edm.Guid': ["guid'00000000-0000-0000-0000-000000000000'"],
  'Edm.Binary': ["X'00'"],
};

/** Completes a filter: properties, operators, values of the entities, `and` and `or`. */
export function completeFilter(context: CompletionContext): CompletionResult | null {
  const before = context.state.sliceDoc(Math.max(0, context.pos - nearUnits), context.pos);
  const comparison = /([\p{L}_][\p{L}\p{N}_]*)\s+(?:eq|ne|gt|ge|lt|le)\s+(\S*)$/u.exec(before);
  if (comparison && !isComplete(comparison[2] ?? '')) {
    return {
      from: context.pos - (comparison[2]?.length ?? 0),
      options: [...valuesOf(comparison[1] ?? '')],
      filter: true,
    };
  }
  const word = /[\p{L}_][\p{L}\p{N}_]*$/u.exec(before)?.[0] ?? '';
  const rest = before.slice(0, before.length - word.length);
  const from = context.pos - word.length;
  if (/(?:'|\d[\w.]*|\b(?:true|false)|\))\s+$/.test(rest)) return { from, options: joins };
  if (/(?:^|\(|\b(?:and|or|not))\s*$/.test(rest)) return { from, options: properties() };
  if (/[\p{L}\p{N}_]\s+$/u.test(rest)) return { from, options: operators };
  return null;
}

/** Returns whether the text after an operator is a whole literal, so that nothing more is offered for it. */
function isComplete(text: string): boolean {
  return /'$/.test(text) && (text.match(/'/g)?.length ?? 0) % 2 === 0;
}

function properties(): readonly Completion[] {
  const total = loadedEntities.value.length;
  return columns.value.map(({ name, types, filled }) => {
    const share = filled > 0 && filled < total ? ` · in ${Math.ceil((filled / total) * 100)} %` : '';
    return { label: name, apply: `${name} `, detail: `${types.map((type) => type.slice(4)).join(', ')}${share}` };
  });
}

/** Returns the values of a property in memory, then literals of its types. */
function valuesOf(name: string): readonly Completion[] {
  const known = new Map<string, Completion>();
  for (const entity of loadedEntities.value.slice(0, sampledMax)) {
    const value = propertyOf(entity, name);
    if (!value || value.text.length > 100) continue;
    const label = literalOf(value);
    known.set(label, { label, apply: `${label} `, detail: value.type.slice(4) });
    if (known.size >= valuesMax) break;
  }
  const types = columns.value.find((column) => column.name === name)?.types ?? [];
  for (const type of types) {
    for (const label of literalsOf(type)) {
      if (!known.has(label)) known.set(label, { label, detail: type.slice(4), boost: -1 });
    }
  }
  return [...known.values()];
}

function literalsOf(type: EdmType): readonly string[] {
  if (type !== 'Edm.DateTime') return literals[type] ?? [];
  const now = Date.now();
  return [15 * 60, 60 * 60, 24 * 60 * 60].map(
    (seconds) => `datetime'${new Date(now - seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')}'`,
  );
}
