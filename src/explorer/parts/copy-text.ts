import { showDone } from '../shell/notices.js';

/**
 * Copies a text and says so; `what` names it, if it has a name. Over plain HTTP from another machine there is no clipboard for scripts, so the text is
 * selected and copied as a user would.
 */
export async function copyText(text: string, what?: string): Promise<void> {
  if (navigator.clipboard) await navigator.clipboard.writeText(text).catch(() => copySelected(text));
  else copySelected(text);
  showDone(what === undefined ? 'Copied.' : `Copied: ${what}`);
}

function copySelected(text: string): void {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}
