import type { Config } from '../config.js';
import { certificateFiles } from '../http/tls.js';
import { startServer } from '../server.js';
import { explain } from './explain.js';

/** Listens, says so, and ends cleanly on SIGTERM and SIGINT. */
export async function start(config: Config): Promise<void> {
  const server = await startServer(config);
  if (config.tls?.kind === 'self-signed' && !config.silent) {
    const { cert } = certificateFiles(config.tls.folder);
    process.stdout.write(
      `The certificate is ${cert}. To trust it, set NODE_EXTRA_CA_CERTS (Node.js), REQUESTS_CA_BUNDLE (Python) ` +
        'or SSL_CERT_FILE (Go, .NET, curl) to this file, or add it to the trusted roots of your system.\n',
    );
  }
  process.stdout.write(`Tabularium Table service is successfully listening at ${server.url}\n`);
  const stop = () => {
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${explain(error)}\n`);
        process.exit(1);
      },
    );
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
