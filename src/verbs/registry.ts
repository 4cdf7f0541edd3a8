import { clockAdvance, clockFreeze, clockResume, clockShow } from './clock.js';
import { faultClear, faultCreate, faultDelete, faultList } from './faults.js';
import { coachClear, coachFollow, coachShow } from './coach.js';
import { branchCreate, branchDelete, branchList, diff, reset, snapshotCreate, snapshotDelete, snapshotList, snapshotRestore, undo, undoList } from './state.js';
import { branchReport, explain, why } from './explanations.js';
import { copyAccount, exportData, importData } from './transfer.js';
import { identityEnvironment, identityList, identityToken } from './identities.js';
import { changeFollow, changeList, live, mark, requestFollow, requestList, requestShow } from './journal.js';
import { entityCount, entityDelete, entityList, tableList, tableShow } from './tables.js';
import { connectionString, health, info, policySign, sas, session } from './server.js';
import type { AnyVerb } from './verb.js';

/** All verbs. A test checks that the list is complete. */
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
  copyAccount,
  entityList,
  entityCount,
  entityDelete,
  explain,
  exportData,
  importData,
  tableList,
  tableShow,
  identityEnvironment,
  identityList,
  identityToken,
  changeFollow,
  changeList,
  mark,
  requestFollow,
  requestList,
  requestShow,
  live,
  why,
  connectionString,
  health,
  info,
  policySign,
  sas,
  session,
  branchCreate,
  branchDelete,
  branchList,
  branchReport,
  diff,
  reset,
  snapshotCreate,
  snapshotDelete,
  snapshotList,
  snapshotRestore,
  undoList,
  undo,
];
