import { join } from 'node:path';
import { TableServiceClient } from '@azure/data-tables';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/accounts.js';
import { type Image, linesOf, makeImage, tableProgram, untilLine } from '../support/container-image.js';
import type { RunningProgram } from '../support/run-program.js';

/** The folder of the programs of an installed Azurite, such as node_modules/.bin. */
const azurite = process.env['TABULARIUM_AZURITE'];
/** A Node.js 24 program, because Azurite needs a newer version than Tabularium. */
const node = process.env['TABULARIUM_NODE24'];
const missing = azurite === undefined || node === undefined;
const title = missing ? ' (skipped: needs TABULARIUM_AZURITE and TABULARIUM_NODE24)' : '';

describe.skipIf(missing)(`The azurite command with the real services of Azurite${title}`, () => {
  let image: Image;
  let supervised: RunningProgram;
  beforeAll(async () => {
    const link = (name: string) => ({ link: join(azurite ?? '', name) });
    image = await makeImage(
      { 'azurite-blob': link('azurite-blob'), 'azurite-queue': link('azurite-queue'), 'azurite-table': tableProgram },
      node,
    );
    const flags = ['blob', 'queue', 'table'].flatMap((name) => [`--${name}Host`, '127.0.0.1', `--${name}Port`, '0']);
    supervised = image.start([...flags, '--skipApiVersionCheck', '--queueKeepAliveTimeout', '30']);
    await untilLine(supervised, 'Azurite Table service is successfully listening');
  });
  afterAll(() => image.dispose());

  const urlOf = (service: string) => {
    const line = linesOf(supervised).find((one) => one.startsWith(`Azurite ${service} service is successfully`)) ?? '';
    return line.slice(line.lastIndexOf(' ') + 1);
  };

  it('serves blobs and queues with Azurite, and tables with Tabularium', async () => {
    for (const service of ['Blob', 'Queue']) {
      const answer = await fetch(`${urlOf(service)}/devstoreaccount1?comp=list`);
      expect(answer.headers.get('server')).toMatch(`Azurite-${service}/`);
    }
    const { name, keys } = developmentAccount;
    const client = TableServiceClient.fromConnectionString(
      `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${keys[0]};TableEndpoint=${urlOf('Table')}/${name};`,
      { allowInsecureConnection: true },
    );
    await client.createTable('Table');
  });

  it('ends on SIGTERM', async () => {
    supervised.kill('SIGTERM');
    expect(await supervised.ended).toMatchObject({ code: 0 });
    expect(linesOf(supervised)).toContain('Azurite Blob service successfully closed');
  });
});
