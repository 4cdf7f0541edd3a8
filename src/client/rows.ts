import type { VerbRow } from '../verbs/verb-row.js';

/** All verbs, for clients that load none of them. `npm run reference` writes this list. */
export const rows: readonly VerbRow[] = [
  { name: 'clock advance', http: 'POST /clock/advance', words: ['by'] },
  { name: 'clock freeze', http: 'POST /clock/freeze', words: ['at'] },
  { name: 'clock resume', http: 'POST /clock/resume' },
  { name: 'clock show', http: 'GET /clock' },
  { name: 'fault clear', http: 'POST /faults/clear' },
  { name: 'fault create', http: 'POST /faults', words: ['rules'], lists: 'faults' },
  { name: 'fault delete', http: 'DELETE /faults/{id}', words: ['id'] },
  { name: 'fault list', http: 'GET /faults', lists: 'faults' },
  { name: 'entity delete', http: 'POST /entities/delete', words: ['table', 'filter'] },
  { name: 'table list', http: 'GET /tables', lists: 'tables' },
  { name: 'identity environment', http: 'POST /identities/{name}/environment', words: ['name'] },
  { name: 'identity list', http: 'GET /identities', lists: 'identities' },
  { name: 'identity token', http: 'POST /identities/{name}/token', words: ['name'] },
  { name: 'branch create', http: 'POST /branches' },
  { name: 'branch delete', http: 'DELETE /branches/{account}', words: ['account'] },
  { name: 'branch list', http: 'GET /branches', lists: 'branches' },
  { name: 'diff', http: 'GET /diff', words: ['from', 'to'] },
  { name: 'reset', http: 'POST /reset' },
  { name: 'snapshot create', http: 'PUT /snapshots/{name}', words: ['name'] },
  { name: 'snapshot delete', http: 'DELETE /snapshots/{name}', words: ['name'] },
  { name: 'snapshot list', http: 'GET /snapshots', lists: 'snapshots' },
  { name: 'snapshot restore', http: 'POST /snapshots/{name}/restore', words: ['name'] },
  { name: 'undo list', http: 'GET /undo', lists: 'undo' },
  { name: 'undo', http: 'POST /undo', words: ['id'] },
];
