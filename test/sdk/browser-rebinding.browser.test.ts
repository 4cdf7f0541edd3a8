import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import { authorizationOf } from '../support/signatures/sign-request.js';

/** The host name of a web page. Its owner made it resolve to this machine. */
const foreignName = 'rebound.example';

describe.skipIf(!isBrowserInstalled)(titleWithBrowser('A page whose host name resolves to this machine'), () => {
  let service: RunningService;
  let allowing: RunningService;
  let browser: Browser;

  beforeAll(async () => {
    service = await startService();
    allowing = await startService({ allowedHosts: [foreignName] });
    browser = await launchBrowser(`--host-resolver-rules=MAP ${foreignName} 127.0.0.1, MAP *.localhost 127.0.0.1`);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
    await allowing?.close();
  });

  /** Opens a page that the server itself serves, under this host name. */
  const openPage = async (host: string, { url }: RunningService = service): Promise<Page> => {
    const page = await browser.newPage();
    page.setDefaultTimeout(stepTimeout);
    await page.goto(`http://${host}:${new URL(url).port}/devstoreaccount1`);
    return page;
  };

  /** Returns a request that is signed with the public key of the development account. */
  const signed = (method: string, path: string, headers: Record<string, string> = {}, body?: string): Asked => {
    const { account } = service;
    const date = new Date().toUTCString();
    const target = `/${account.name}${path}`;
    const contentType = body === undefined ? '' : 'application/json';
    const signer = { scheme: 'SharedKey', account: account.name, key: account.keys[0] ?? '' } as const;
    return {
      url: target,
      method,
      headers: {
        Accept: 'application/json',
        'x-ms-date': date,
        'x-ms-version': '2019-02-02',
        Authorization: authorizationOf({ method, target, date, contentType }, signer),
        ...(body !== undefined && { 'Content-Type': contentType }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    };
  };

  const expectRejected = (read: Read) => {
    expect(read).toMatchObject({ status: 403, headers: { 'x-ms-error-code': 'HostNotAllowed' } });
    expect('body' in read && read.body).toContain(
      `Start the server with --allowedHosts ${foreignName} if it is yours.`,
    );
  };

  it('reads nothing, although its script has the same origin and signs with the public key', async () => {
    const page = await openPage(foreignName);

    expectRejected(await fetchFrom(page, signed('GET', '/Tables')));
  });

  it('reads nothing, although its script hides every sign of a browser that it can hide', async () => {
    const page = await openPage(foreignName);
    const hidden = { 'Accept-Language': '', 'User-Agent': 'azsdk-js-data-tables' };

    expectRejected(await fetchFrom(page, signed('GET', '/Tables', hidden)));
  });

  it('writes nothing', async () => {
    const page = await openPage(foreignName);

    expectRejected(await fetchFrom(page, signed('POST', '/Tables', {}, '{"TableName":"written"}')));
    const local = await fetchFrom(await openPage('127.0.0.1'), signed('GET', "/Tables('written')"));
    expect(local).toMatchObject({ status: 404 });
  });

  it('does not see the health and the metrics of the server', async () => {
    const page = await openPage(foreignName);

    for (const path of ['/_tabularium/health', '/_tabularium/metrics']) {
      expect(await fetchFrom(page, { url: path, method: 'GET', headers: {} })).toMatchObject({ status: 403 });
    }
  });

  it.each(['127.0.0.1', 'localhost', 'devstoreaccount1.table.localhost'])(
    'is served when the name is %s',
    async (host) => {
      const page = await openPage(host);

      expect(await fetchFrom(page, signed('GET', '/Tables'))).toMatchObject({ status: 200 });
      expect(
        await fetchFrom(page, signed('POST', '/Tables', {}, `{"TableName":"T${host.replaceAll('.', 'x')}"}`)),
      ).toMatchObject({
        status: 201,
      });
    },
  );

  it('is served when --allowedHosts contains the name', async () => {
    const page = await openPage(foreignName, allowing);

    expect(await fetchFrom(page, signed('GET', '/Tables'))).toMatchObject({ status: 200 });
  });
});
