import { clockAdvance } from './behavior/clock-advance.js';
import { clockFreeze } from './behavior/clock-freeze.js';
import { clockResume } from './behavior/clock-resume.js';
import { clockShow } from './behavior/clock-show.js';
import { faultClear } from './behavior/fault-clear.js';
import { faultCreate } from './behavior/fault-create.js';
import { faultDelete } from './behavior/fault-delete.js';
import { faultList } from './behavior/fault-list.js';
import { coachClear } from './coach/coach-clear.js';
import { coachFollow } from './coach/coach-follow.js';
import { coachShow } from './coach/coach-show.js';
import { entityDelete } from './data/entity-delete.js';
import { explain } from './data/explain.js';
import { exportData } from './data/export.js';
import { importData } from './data/import.js';
import { tableList } from './data/table-list.js';
import { identityEnvironment } from './identity/identity-environment.js';
import { identityList } from './identity/identity-list.js';
import { identityToken } from './identity/identity-token.js';
import { changeFollow } from './requests/change-follow.js';
import { changeList } from './requests/change-list.js';
import { mark } from './requests/mark.js';
import { requestExport } from './requests/request-export.js';
import { requestFollow } from './requests/request-follow.js';
import { requestList } from './requests/request-list.js';
import { requestShow } from './requests/request-show.js';
import { why } from './requests/why.js';
import { health } from './server/health.js';
import { info } from './server/info.js';
import { session } from './server/session.js';
import { branchCreate } from './state/branch-create.js';
import { branchDelete } from './state/branch-delete.js';
import { branchList } from './state/branch-list.js';
import { diff } from './state/diff.js';
import { reset } from './state/reset.js';
import { snapshotCreate } from './state/snapshot-create.js';
import { snapshotDelete } from './state/snapshot-delete.js';
import { snapshotList } from './state/snapshot-list.js';
import { snapshotRestore } from './state/snapshot-restore.js';
import { undoList } from './state/undo-list.js';
import { undo } from './state/undo.js';
import type { AnyVerb } from './verb.js';

/** All verbs. `npm run write -- reference` writes this list from the files of the folder. */
export const allVerbs: readonly AnyVerb[] = [
  clockAdvance,
  clockFreeze,
  clockResume,
  clockShow,
  faultClear,
  faultCreate,
  faultDelete,
  faultList,
  coachClear,
  coachFollow,
  coachShow,
  entityDelete,
  explain,
  exportData,
  importData,
  tableList,
  identityEnvironment,
  identityList,
  identityToken,
  changeFollow,
  changeList,
  mark,
  requestExport,
  requestFollow,
  requestList,
  requestShow,
  why,
  health,
  info,
  session,
  branchCreate,
  branchDelete,
  branchList,
  diff,
  reset,
  snapshotCreate,
  snapshotDelete,
  snapshotList,
  snapshotRestore,
  undoList,
  undo,
];
