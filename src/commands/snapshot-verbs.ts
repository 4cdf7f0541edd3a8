/** What `tabularium snapshot` can do. */
export const snapshotVerbs = ['take', 'restore', 'list', 'show', 'delete'] as const;
