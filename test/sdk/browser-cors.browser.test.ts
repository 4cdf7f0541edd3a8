import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setCorsRules } from '../support/bodies/cors-rules.js';
import { ServiceClient } from '../support/clients/service-client.js';
import {
  type Asked,
  fetchFrom,
  isBrowserInstalled,
  launchBrowser,
  type Read,
  stepTimeout,
  titleWithBrowser,
} from '../support/pages/browser.js';
import { type RunningService, startService } from '../support/servers/start-service.js';
import { signAccess, tableAccess } from '../support/signatures/sign-access.js';

describe.skipIf(!isBrowserInstalled)(titleWithBrowser('A page of another origin'), () => {
  let service: RunningService;
  let client: ServiceClient;
  let pages: Server;
  let browser: Browser;
  let page: Page;
  let origin = '';

  beforeAll(async () => {
    service = await startService();
    client = new ServiceClient(() => service);
    pages = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>A page</title>');
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    browser = await launchBrowser();
    page = await browser.newPage();
    page.setDefaultTimeout(stepTimeout);
    await page.goto(origin);
  });
  afterAll(async () => {
    await browser?.close();
    pages?.close();
    client?.close();
    await service?.close();
  });

  /** Runs a fetch inside the page. */
  const fetchFromPage = (asked: Asked): Promise<Read> => fetchFrom(page, asked);

  let tables = 0;
  /** Creates a table and returns its signed addresses, so that the page needs no key. */
  const withSignedTable = async () => {
    const table = `Table${++tables}`;
    await client.post('/Tables', { TableName: table });
    const urlOf = (path = '') => `${service.base}/${table}${path}?${signAccess(tableAccess(table))}`;
    const insert = (): Asked => ({
      url: urlOf(),
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json;odata=nometadata' },
      body: JSON.stringify({ PartitionKey: 'p', RowKey: 'r', A: 'written by a page' }),
    });
    const read = (): Asked => ({
      url: urlOf("(PartitionKey='p',RowKey='r')"),
      method: 'GET',
      headers: { Accept: 'application/json;odata=nometadata', 'x-ms-version': '2019-02-02' },
    });
    const merge = (): Asked => ({ ...insert(), url: urlOf("(PartitionKey='p',RowKey='r')"), method: 'PATCH' });
    return { table, insert, read, merge, rows: async () => (await client.get(`/${table}`)).rows };
  };

  it('is rejected without CORS rules: it reads nothing, and its insert is not sent', async () => {
    await setCorsRules(client, []);
    const { insert, read, rows } = await withSignedTable();

    expect(await fetchFromPage(insert())).toEqual({ failed: 'TypeError: Failed to fetch' });
    expect(await fetchFromPage(read())).toEqual({ failed: 'TypeError: Failed to fetch' });
    expect(await rows()).toEqual([]);
  });

  it.each([
    ['names it', () => origin],
    ['allows any origin', () => '*'],
  ])('inserts, merges and reads with a signature when a rule %s', async (_rule, origins) => {
    const rule = { origins: origins(), methods: 'GET,POST,PATCH', allowed: '*', exposed: '*', maxAge: 0 };
    await setCorsRules(client, [rule]);
    const { insert, merge, read, rows } = await withSignedTable();

    const inserted = await fetchFromPage(insert());
    const merged = await fetchFromPage(merge());
    const answer = await fetchFromPage(read());

    expect(inserted).toMatchObject({ status: 201 });
    expect(merged).toMatchObject({ status: 204 });
    expect(answer).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^W\//) } });
    expect(JSON.parse('body' in answer ? answer.body : '')).toMatchObject({ A: 'written by a page' });
    expect(await rows()).toHaveLength(1);
  });

  it('reads only the headers that the rule exposes', async () => {
    await setCorsRules(client, [{ origins: origin, methods: 'GET,POST', allowed: '*', exposed: 'x-ms-request-id' }]);
    const { insert, read } = await withSignedTable();
    await fetchFromPage(insert());

    const answer = await fetchFromPage(read());

    expect(answer).toMatchObject({ status: 200, headers: { 'x-ms-request-id': expect.any(String) } });
    expect('headers' in answer && answer.headers).not.toHaveProperty('etag');
  });

  it('reads an error of the service', async () => {
    await setCorsRules(client, [{ origins: origin, methods: 'GET', allowed: '*', exposed: '*' }]);
    const { read } = await withSignedTable();

    const answer = await fetchFromPage(read());

    expect(answer).toMatchObject({ status: 404, body: expect.stringContaining('ResourceNotFound') });
  });

  it.each([
    ['origin', { origins: 'http://other.example' }],
    ['method', { methods: 'GET' }],
    ['header', { allowed: 'accept' }],
  ])('is rejected when the rule is for another %s', async (_what, changes) => {
    await setCorsRules(client, [{ origins: origin, methods: 'GET,POST', allowed: '*', ...changes }]);
    const { insert, rows } = await withSignedTable();

    expect(await fetchFromPage(insert())).toEqual({ failed: 'TypeError: Failed to fetch' });
    expect(await rows()).toEqual([]);
  });
});
