/**
 * The purpose of a snapshot that users do not see. Its name says it: `~KIND-ID`. No user can give a snapshot such a name.
 *
 * - `undo`: the state before or after a call. Without a record, the call was cut off, and the snapshot is a leftover.
 * - `import`: the state before an import of everything or nothing. Once its server has ended, it is a leftover.
 * - `before`: marks a load at the start that has not ended. Only a start that loads again, or decides not to, may delete it.
 */
export type HiddenKind = 'undo' | 'import' | 'before';

/** Returns the name of a hidden snapshot. */
export function hiddenName(kind: HiddenKind, id: string): string {
  return `~${kind}-${id}`;
}

/** Whether a snapshot is hidden, and has one of these kinds. */
export function isHidden(name: string, kinds: readonly HiddenKind[]): boolean {
  return kinds.some((kind) => name.startsWith(hiddenName(kind, '')));
}

/** Whether users see a snapshot. */
export function isShown({ name }: { readonly name: string }): boolean {
  return !name.startsWith('~');
}
