// Compiled, not run: what the package's types allow, and what they refuse.
import { startTabularium, type Tabularium, type TabulariumOptions } from 'tabularium';
import globalSetup, { setupWith } from 'tabularium/vitest';
import { inject } from 'vitest';

const options: TabulariumOptions = {
  accounts: [{ name: 'one', keys: ['b25l'] }],
  https: { cert: 'cert.pem', key: 'key.pem' },
  oauth: true,
  durability: 'fsync',
};

export default setupWith(options);

/** Uses all that an instance has. */
export async function use(): Promise<string> {
  await using server: Tabularium = await startTabularium(options);
  await server.reset();
  await server.reset('one');
  const texts: string[] = [server.url, server.endpoint(), server.connectionString, server.connectionStringOf('one')];
  const port: number = server.port;
  return [...texts, port, inject('tabularium').connectionString, inject('tabularium').endpoint].join(' ');
}

// @ts-expect-error a port is a number
await startTabularium({ port: '10002' });
// @ts-expect-error there is no such option
await startTabularium({ inMemory: true });
// @ts-expect-error a PEM certificate needs its key
await startTabularium({ https: { cert: 'cert.pem' } });
// @ts-expect-error nothing else is provided
inject('tabularium').port;
// @ts-expect-error a global set-up needs a project
await globalSetup();
