import { autocompletion, completionKeymap, startCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { effect } from '@preact/signals';
import { completeFilter } from './complete-filter.js';
import { filterFault } from './filter-fault.js';
import { draft, runQuery } from './query.js';

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
        linter(null, { tooltipFilter: () => [] }),
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

/** Marks the fault of the filter where the parser has found it. The line below the editor has its words and its fix. */
function diagnosticsOf(length: number): Diagnostic[] {
  const fault = filterFault.value;
  if (!fault) return [];
  const from = Math.min(fault.at ?? 0, length);
  const to = Math.min(from + Math.max(1, fault.length ?? 1), length);
  return [{ from: Math.max(0, Math.min(from, to - 1)), to, severity: 'error', message: fault.text }];
}
