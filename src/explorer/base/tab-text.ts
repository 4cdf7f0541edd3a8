/** Writes rows of cells as text for a spreadsheet: tabs between cells, and quotation marks around cells that need them. */
export function writeTabText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => cells.map(writeCell).join('\t')).join('\n');
}

function writeCell(text: string): string {
  return /[\t\r\n]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A cell, with or without quotation marks, and the tab or the line break after it. A quotation mark without its end is a character. */
const cell = /(?:"((?:[^"]|"")*)"(?=[\t\r\n]|$)|([^\t\r\n]*))(\t|\r\n|\r|\n|$)/y;

/** Reads tab-separated text, as spreadsheets copy it. A line break at the end begins no row. */
export function readTabText(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  cell.lastIndex = 0;
  for (let found = cell.exec(text); found; found = cell.exec(text)) {
    const [, quoted, plain = '', end] = found;
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== '\t') {
      if (cell.lastIndex === text.length) break;
      rows.push([]);
    }
  }
  return rows;
}
