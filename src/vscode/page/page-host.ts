import { createAsk } from './create-ask.js';
import type { EditorMessage, PageMessage } from './messages.js';

declare function acquireVsCodeApi(): { postMessage(message: PageMessage): void };

// This script runs in the tab before the page, which takes `tabularium` in place of the browser's own ways.
const editor = acquireVsCodeApi();
const { ask, receive } = createAsk((message) => editor.postMessage(message));
const { root: serverRoot = '', hash = '' } = document.currentScript?.dataset ?? {};
Object.assign(globalThis, { tabularium: { serverRoot, ask } });
if (hash !== '') location.hash = hash;
addEventListener('message', ({ data }: MessageEvent<EditorMessage>) => {
  if (data.kind === 'show') location.hash = data.hash;
  else receive(data);
});
