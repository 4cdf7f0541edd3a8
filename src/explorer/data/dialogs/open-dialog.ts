import { signal } from '@preact/signals';

/** The dialogs of this tab. */
export type DataDialog =
  | { readonly kind: 'create-table' }
  | { readonly kind: 'delete-table'; readonly table: string }
  | { readonly kind: 'delete'; readonly target: 'selection' | 'query' }
  | { readonly kind: 'import' };

/** The dialog that is open. */
export const openDialog = signal<DataDialog | undefined>(undefined);

/** Asks whether to delete the selected entities, or the results of the query. */
export function askToDelete(target: 'selection' | 'query'): void {
  openDialog.value = { kind: 'delete', target };
}

/** Closes the dialog. */
export function closeDialog(): void {
  openDialog.value = undefined;
}
