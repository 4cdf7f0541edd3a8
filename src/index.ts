export { startTabularium } from './library/start-tabularium.js';
export type {
  ControlCalls,
  ExplainedRequest,
  Finding,
  LogEntry,
  RequestSelection,
  Tabularium,
  TabulariumAccount,
  TabulariumCertificate,
  TabulariumOptions,
} from './library/tabularium.js';
