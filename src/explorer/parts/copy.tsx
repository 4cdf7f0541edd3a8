import { showDone, showError } from '../model/notices.js';
import { IconButton } from './icon.js';

/**
 * Copies a text and confirms it by its name. Over plain HTTP from another machine there is no clipboard for scripts, so the text
 * is selected and copied as a user would.
 */
export async function copyText(text: string, name?: string): Promise<void> {
  if (navigator.clipboard) await navigator.clipboard.writeText(text).catch(() => copySelected(text));
  else copySelected(text);
  showDone(name === undefined ? 'Copied.' : `Copied: ${name}`);
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

/** A text with a button that copies it, such as the command line that is equivalent to a button. */
export function CopiedText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span class="copied-text pair">
      <code class="cut">{text}</code>
      <IconButton icon="copy" label={`Copy ${label}`} onClick={() => copyText(text).catch(showError)} />
    </span>
  );
}
