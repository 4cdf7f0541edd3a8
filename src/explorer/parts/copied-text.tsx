import { showError } from '../shell/notices.js';
import { copyText } from './copy-text.js';
import { Icon } from './icon.js';

/** A text to take along, such as the command line that does the same as a button, with a button that copies it. */
export function CopiedText({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <span class="copied-text">
      <code>{text}</code>
      <button
        type="button"
        class="quiet"
        aria-label={`Copy ${label}`}
        title={`Copy ${label}`}
        onClick={() => copyText(text).catch(showError)}
      >
        <Icon name="copy" />
      </button>
    </span>
  );
}
