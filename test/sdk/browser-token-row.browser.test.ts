import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';
import {
  fetchFrom,
  isBrowserInstalled,
  launchBrowser,
  stepTimeout,
  titleWithBrowser,
} from '../support/pages/browser.js';
import { type RunningService, startService } from '../support/servers/start-service.js';

describe.skipIf(!isBrowserInstalled)(titleWithBrowser('A page of another origin'), () => {
  let instance: Tabularium;
  let other: RunningService;
  let browser: Browser;
  beforeAll(async () => {
    instance = await startTabularium({ https: true, identities: { identities: { app: {} } } });
    other = await startService();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await other?.close();
    await instance?.close();
  });

  it('gets no token of an identity, even with its secret', { timeout: 4 * stepTimeout }, async () => {
    const { set } = await instance.identities.environment('app');
    const variable = (wanted: string) => set.find(({ name }) => name === wanted)?.value ?? '';
    const asked = {
      url: `${variable('IDENTITY_ENDPOINT')}?api-version=2019-08-01&resource=https://storage.azure.com`,
      method: 'GET',
      headers: { 'X-IDENTITY-HEADER': variable('IDENTITY_HEADER') },
    };
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();

    await page.goto(`${other.url}/devstoreaccount1`);
    expect(await fetchFrom(page, asked)).toEqual({ failed: expect.stringContaining('Failed to fetch') });
    expect(await fetchFrom(page, { ...asked, headers: {} })).toEqual({
      failed: expect.stringContaining('Failed to fetch'),
    });

    // What fails is the other origin, not the request.
    await page.goto(`${instance.url}/_tabularium/identity/keys`);
    expect(await fetchFrom(page, asked)).toMatchObject({ status: 200 });
  });
});
