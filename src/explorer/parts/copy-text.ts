import { showDone } from '../shell/notices.js';

/** Puts a text on the clipboard, and says so. Errors: the browser does not allow it, as on a page from elsewhere without TLS. */
export async function copyText(text: string): Promise<void> {
  if (!navigator.clipboard) throw new Error(`This browser copies only on secure pages. Copy it by hand: ${text}`);
  await navigator.clipboard.writeText(text);
  showDone('Copied.');
}
