/**
 * Returns a text for a notice. It may quote requests, which any program and any page of a browser can send to the server. Editors make
 * links of `[text](command:…)` in notices, and a click would run the command: here it stays text.
 */
export function noticeText(text: string): string {
  return text.replaceAll('](', '] (');
}
