export { startTabularium } from './library/start-tabularium.js';
export type {
  Tabularium,
  TabulariumAccount,
  TabulariumCertificate,
  TabulariumOptions,
} from './library/tabularium.js';
