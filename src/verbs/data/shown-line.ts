/** How many characters of a text a terminal line shows. */
const shownUnitsMax = 100;

/** Returns the part of a text around a position as one line without control characters, and the position's column. */
export function shownLine(text: string, at: number): { readonly line: string; readonly column: number } {
  const start =
    text.length <= shownUnitsMax ? 0 : Math.max(0, Math.min(at - shownUnitsMax / 2, text.length - shownUnitsMax));
  const line = text.slice(start, start + shownUnitsMax).replace(/\p{Cc}/gu, ' ');
  return { line, column: at - start };
}
