/** Returns a copy that does not share memory. A part of a text keeps the whole text alive, which may be megabytes. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
