/** What `tabularium snapshot` can do. */
export const snapshotVerbs = ['take', 'restore', 'list', 'show', 'delete'] as const;

/** What `tabularium fault` can do. */
export const faultVerbs = ['add', 'list', 'clear'] as const;

/** What `tabularium clock` can do. */
export const clockVerbs = ['show', 'freeze', 'advance', 'resume'] as const;

/** What `tabularium branch` can do. */
export const branchVerbs = ['create', 'list', 'delete'] as const;
