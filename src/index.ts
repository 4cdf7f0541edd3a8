export type * from './client/calls.js';
export type { FaultCondition, FaultEffect, FaultKind, FaultRule, FaultSummary } from './faults/contract.js';
export type { TabulariumOptions } from './library/options.js';
export { startTabularium } from './library/start-tabularium.js';
export type {
  AcceptedFilter,
  BranchCalls,
  BranchOptions,
  ExplainedFilter,
  ExplainedRequest,
  Finding,
  ImportedData,
  LogEntry,
  RejectedFilter,
  Tabularium,
  TabulariumAccount,
  TabulariumBranch,
  TabulariumCertificate,
  TabulariumCosmos,
  TransferCalls,
  WrittenChange,
} from './library/tabularium.js';
export type {
  ColumnMap,
  ExportWish,
  ImportMode,
  ImportReport,
  ImportWish,
  RejectedRow,
  TransferFormat,
} from './transfer/contract.js';
