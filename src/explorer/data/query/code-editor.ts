import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { effect } from '@preact/signals';
import type { EdmType } from '../../../protocol/values/edm.js';
import { propertyOf } from '../../base/entity.js';
import { literalOf } from '../../base/value.js';
import { columns } from '../columns.js';
import { loadedEntities } from '../rows.js';
import { filterFault } from './filter-fault.js';
import { draft, runFilter, runQuery } from './query.js';

/** Colors the words of a filter. The parser of the service decides whether it is valid. */
const language = StreamLanguage.define({
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^(?:datetime|guid|binary|X)?'(?:[^']|'')*'?/)) return 'string';
    if (stream.match(/^-?\d[\w.]*/)) return 'number';
    if (stream.match(/^(?:eq|ne|gt|ge|lt|le|and|or|not|true|false)\b/)) return 'keyword';
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u)) return 'variableName';
    stream.next();
    return null;
  },
});

const colors = HighlightStyle.define([
  { tag: tags.string, color: 'var(--type-text)' },
  { tag: tags.number, color: 'var(--type-number)' },
  { tag: tags.keyword, color: 'var(--brand-text)', fontWeight: '600' },
]);

const looks = EditorView.theme({
  '&': { fontSize: '13px', color: 'var(--text)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: '2px solid var(--brand-text)', outlineOffset: '1px', borderRadius: '4px' },
  '.cm-content': {
    fontFamily: 'var(--mono)',
    padding: '3px 4px',
    minHeight: 'calc(var(--control) - 2px)',
    caretColor: 'var(--text)',
  },
  '.cm-scroller': { maxHeight: '66px' },
  '.cm-placeholder': { color: 'var(--text-faint)' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px', fontFamily: 'var(--mono)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--brand)', color: 'var(--on-brand)' },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.85', marginLeft: '1em' },
  '.cm-diagnosticText': { fontFamily: 'var(--font)' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--danger)',
    textDecorationSkipInk: 'none',
  },
});

/** A selection in a text, by positions of UTF-16 units. Equal ones are the caret. */
export interface Selected {
  readonly anchor: number;
  readonly head: number;
}

/**
 * Opens the editor of the filter in an element, within a shadow root, where its styles need no exception in the page's policy. With
 * `selected` it has the focus. Returns the function that closes it.
 */
export function openEditor(host: HTMLElement, selected?: Selected): () => void {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const parent = document.createElement('div');
  root.replaceChildren(parent);
  const run = () => {
    runQuery();
    return true;
  };
  const view = new EditorView({
    parent,
    root,
    state: EditorState.create({
      doc: draft.value,
      ...(selected && { selection: selected }),
      extensions: [
        history(),
        autocompletion({ override: [completeFilter], icons: false, selectOnOpen: false }),
        // Tab leaves the editor, as from every field.
        keymap.of([
          ...completionKeymap,
          { key: 'Enter', run },
          { key: 'Mod-Enter', run },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.contentAttributes.of({ 'aria-label': '$filter', spellcheck: 'false' }),
        EditorView.domEventHandlers({ beforeinput: typeOverSelection }),
        EditorView.lineWrapping,
        placeholder('$filter'),
        language,
        syntaxHighlighting(colors),
        looks,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) draft.value = update.state.doc.toString();
        }),
      ],
    }),
  });
  const takeFocus = () => {
    view.focus();
    startCompletion(view);
  };
  host.addEventListener('take-focus', takeFocus);
  if (selected) view.focus();
  const stops = [
    effect(() => {
      const text = draft.value;
      if (text !== view.state.doc.toString()) {
        view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
      }
    }),
    effect(() => view.dispatch(setDiagnostics(view.state, diagnosticsOf(view.state.doc.length)))),
  ];
  return () => {
    for (const stop of stops) stop();
    host.removeEventListener('take-focus', takeFocus);
    view.destroy();
  };
}

/**
 * Types a text over a selection. The browser would keep the look of the selected text in an inline style, which the page's policy
 * forbids.
 */
function typeOverSelection(event: InputEvent, view: EditorView): boolean {
  if (event.inputType !== 'insertText' || event.data === null || view.state.selection.main.empty) return false;
  view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true });
  event.preventDefault();
  return true;
}

/** Returns the fault of the filter where the parser has found it, with its fix. */
function diagnosticsOf(length: number): Diagnostic[] {
  const fault = filterFault.value;
  if (!fault) return [];
  const from = Math.min(fault.at ?? 0, length);
  const to = Math.min(from + Math.max(1, fault.length ?? 1), length);
  const { fix, text } = fault;
  const fixed = (view: EditorView) => {
    const doc = view.state.doc.toString();
    runFilter(doc.slice(0, from) + fix + doc.slice(from + (fault.length ?? 0)));
  };
  return [
    {
      from: Math.max(0, Math.min(from, to - 1)),
      to,
      severity: 'error',
      message: text,
      ...(fix !== undefined && { actions: [{ name: 'Fix and run', apply: fixed }] }),
    },
  ];
}

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
function completeFilter(context: CompletionContext): CompletionResult | null {
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
