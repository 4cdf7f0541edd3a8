/** Writes rows of cells as text for a spreadsheet: tabs between cells, and quotation marks around cells that need them. */
export function writeTabText(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => cells.map(writeCell).join('\t')).join('\n');
}

function writeCell(text: string): string {
  return /[\t\r\n]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
