// Compiled but not run: uses that the types of the package must accept, and mistakes that they must reject.
import { startTabularium, type Tabularium, type TabulariumOptions } from 'tabularium';
import globalSetup, { branchPerTest, setupWith } from 'tabularium/vitest';
import { test as base, inject } from 'vitest';

const options: TabulariumOptions = {
  accounts: [{ name: 'one', keys: ['b25l'] }],
  https: { cert: 'cert.pem', key: 'key.pem' },
  oauth: true,
  durability: 'fsync',
};

export default setupWith(options);

base.extend(branchPerTest({ from: 'base' }))('has a branch', ({ branch }) => {
  const texts: string[] = [branch.account, branch.key, branch.connectionString, branch.endpoint];
  return void texts;
});

/** Uses every member of an instance. */
export async function use(): Promise<string> {
  await using server: Tabularium = await startTabularium(options);
  await server.reset();
  await server.reset({ account: 'one' });
  const texts: string[] = [server.url, server.endpoint(), server.connectionString, server.connectionStringOf('one')];
  await server.mark('a test');
  const [entry] = await server.requests.list({ mark: 'a test', status: '4xx', limit: 1 });
  if (entry) texts.push((await server.why(entry.CorrelationId)).cause ?? 'it succeeded');
  const explained = await server.explain('Size gt 1');
  texts.push(explained.isRejected ? explained.cause : explained.class);
  await server.coach.clear();
  texts.push(...(await server.coach.show()).findings.map(({ rule }) => rule));
  const port: number = server.port;
  return [...texts, port, inject('tabularium').connectionString, inject('tabularium').endpoint].join(' ');
}

// @ts-expect-error a port is a number
await startTabularium({ port: '10002' });
// @ts-expect-error there is no such option
await startTabularium({ inMemory: true });
// @ts-expect-error a PEM certificate needs its key
await startTabularium({ https: { cert: 'cert.pem' } });
// @ts-expect-error the provided value has no port
inject('tabularium').port;
// @ts-expect-error a global setup needs a project
await globalSetup();
