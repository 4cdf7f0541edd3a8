export { startTabularium } from './library/start-tabularium.js';
export type {
  AcceptedFilter,
  ControlCalls,
  ExplainedFilter,
  ExplainedRequest,
  Finding,
  LogEntry,
  RefusedFilter,
  RequestSelection,
  StateCalls,
  Tabularium,
  TabulariumAccount,
  TabulariumBranch,
  TabulariumCertificate,
  TabulariumOptions,
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
