import { commandLine } from '../command-line.js';

/** Writes a number with its noun: `1 table`, `2 entities`. */
export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Returns the end of a line about a call that removed `removed` things from `server`: how to undo it, or that nothing was kept. */
export function undoHint(removed: number, id: string | undefined, server: string): string {
  if (removed === 0) return '';
  return id === undefined ? '. This cannot be undone' : `. To undo: ${commandLine(`undo ${id}`, server)}`;
}

/** Writes the keys of an entity after the name of its table; nothing for a whole table. */
export function keyWords(partitionKey: string | undefined, rowKey: string | undefined): string {
  return partitionKey === undefined ? '' : ` ${JSON.stringify(partitionKey)} ${JSON.stringify(rowKey)}`;
}
