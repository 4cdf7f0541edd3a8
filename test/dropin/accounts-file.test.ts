import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TableServiceClient } from '@azure/data-tables';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makePlace, type Place } from '../support/programs/place.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace('tabularium');
});
afterEach(() => place.clear());

const key = (text: string) => Buffer.from(text).toString('base64');

it('A running server adopts new keys from its accounts file, and keeps them if the file becomes invalid', async () => {
  const file = join(place.folder, 'accounts');
  const write = async (text: string) => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  await write(`mine:${key('one')}`);
  const args = ['--inMemoryPersistence', '--tablePort', '0', '--accountsFile', file];
  const server = place.start('tabularium', args);
  const [, url] = await server.until(/listening at (\S+)/);
  const createBy = (secret: string, table: string) =>
    TableServiceClient.fromConnectionString(
      `DefaultEndpointsProtocol=http;AccountName=mine;AccountKey=${key(secret)};TableEndpoint=${url}/mine;`,
      { allowInsecureConnection: true },
    ).createTable(table);
  await createBy('one', 'First');
  await expect(createBy('two', 'Second')).rejects.toMatchObject({ statusCode: 403 });

  await write(`# rotated\nmine:${key('two')}\n`);
  await server.until(/ info the accounts are now those of .*: mine\n/);
  await createBy('two', 'Second');
  await expect(createBy('one', 'Third')).rejects.toMatchObject({ statusCode: 403 });

  await write('mine');
  await server.until(/ error the accounts stay as they were\. .*accounts: the account mine needs one or two keys/);
  await createBy('two', 'Third');
  server.kill('SIGTERM');
  expect(await server.ended).toMatchObject({ code: 0, errors: '' });
});
