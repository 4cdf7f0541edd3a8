import { createRequire } from 'node:module';
import { ownVersion } from './own-version.mjs';

/**
 * Runs a service of Azurite in this process, with the arguments of this process. The bundle has no telemetry, so the
 * service never tries to send any.
 *
 * @param {'blob' | 'queue'} service
 */
export function runService(service) {
  const [word = ''] = process.argv.slice(2);
  if (/^(?:-v|--version|version)$/.test(word)) {
    process.stdout.write(`${ownVersion()}\n`);
    return;
  }
  if (!process.argv.includes('--disableTelemetry')) process.argv.push('--disableTelemetry');
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) process.once(signal, () => passOn(signal));
  createRequire(import.meta.url)('./services.cjs')[service]();
}

/**
 * Azurite listens to signals only after its ready line. Keeps an earlier signal for it, so that it closes its data.
 *
 * @param {'SIGTERM' | 'SIGINT'} signal
 */
function passOn(signal) {
  if (process.listenerCount(signal) > 0) return;
  process.on('newListener', (name) => {
    if (name === signal) setImmediate(() => process.emit(signal, signal));
  });
}
