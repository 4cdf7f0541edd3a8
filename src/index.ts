export type { FaultCondition, FaultEffect, FaultKind, FaultRule, FaultSummary } from './faults/contract.js';
export { startTabularium } from './library/start-tabularium.js';
export type {
  AcceptedFilter,
  ChangeSelection,
  ControlCalls,
  ExplainedFilter,
  ExplainedRequest,
  FaultCalls,
  Finding,
  LogEntry,
  RefusedFilter,
  RequestSelection,
  StateCalls,
  TableChanges,
  Tabularium,
  TabulariumAccount,
  TabulariumBranch,
  TabulariumCertificate,
  TabulariumOptions,
  WrittenChange,
} from './library/tabularium.js';
export type {
  BranchSummary,
  BranchWish,
  Difference,
  DiffReport,
  DiffWish,
  MadeBranch,
  ResetReport,
  ResetTarget,
  RestoreReport,
  SnapshotSummary,
} from './state/contract.js';
