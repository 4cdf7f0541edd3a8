export { type Config, defaultConfig } from './config.js';
export { type RunningServer, startServer } from './server.js';
