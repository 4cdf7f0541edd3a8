import { TableClient } from '@azure/data-tables';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { writeConnectionString } from '../../../src/protocol/access/connection-string.js';
import { ServiceClient } from '../clients/service-client.js';
import { type RunningService, startService } from '../servers/start-service.js';
import { isBrowserInstalled, sharedBrowser, stepTimeout, titleWithBrowser } from './browser.js';

/** What a journey needs: a server, a client that is not the page, and the page. */
export interface Explorer {
  readonly service: RunningService;
  /** Plays the other programs. */
  readonly client: ServiceClient;
  /** Creates a table, and returns the client of Microsoft's SDK for it. */
  withTable(name: string): Promise<TableClient>;
  /** Opens the page in a browser without a history. `hash` is the place within it, without `#`. */
  open(hash?: string): Promise<Page>;
  /** Opens the page of another server. `hash` begins with `#`. */
  openAt(url: string, hash: string): Promise<Page>;
  /** The part of an address for a table of the usual account. */
  hashOf(table: string, query?: string): string;
}

/** How long a journey may take. Unit: milliseconds. */
const timeout = 4 * stepTimeout;

/** Width and height of the window. */
const viewport = { width: 1280, height: 800 };

/**
 * Describes journeys through the page. Each has its own server. After each journey, the page must have reported
 * no error, loaded nothing from elsewhere, and violated no policy.
 */
export function describeExplorer(title: string, journeys: (explorer: Explorer) => void): void {
  describe.skipIf(!isBrowserInstalled)(titleWithBrowser(title), { timeout }, () => {
    let service: RunningService;
    let browser: Browser;
    /** The context of the first page of each journey. Its other page keeps the process that has compiled the code. */
    let kept: BrowserContext;
    let keeper: Page;
    let contexts: BrowserContext[] = [];
    let faults: string[] = [];
    const client = new ServiceClient(() => service);

    beforeAll(async () => {
      service = await startService();
      browser = await sharedBrowser();
      kept = await newContext(browser);
      keeper = await kept.newPage();
      // The server must not see this page, which would also ask for an icon.
      await keeper.route('**', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<link rel=icon href=data:,>' }),
      );
      await keeper.goto(service.url);
    }, timeout);
    afterEach(async () => {
      const seen = faults;
      const opened = [...contexts, ...kept.pages().filter((page) => page !== keeper)];
      faults = [];
      contexts = [];
      await Promise.all(opened.map((one) => one.close()));
      expect(seen).toEqual([]);
      expect(service.takeLoggedErrors()).toEqual([]);
    });
    afterAll(async () => {
      client.close();
      await kept?.close();
      await service?.close();
    });

    journeys({
      get service() {
        return service;
      },
      client,
      async withTable(name) {
        const table = TableClient.fromConnectionString(writeConnectionString(service.url, service.account), name, {
          allowInsecureConnection: true,
        });
        await table.createTable();
        return table;
      },
      hashOf: (table, query = '') => `/${developmentAccount.name}/data/${table}${query}`,
      open: (hash = '') => openAt(service.url, `#${hash}`),
      openAt,
    });

    async function openAt(url: string, hash: string): Promise<Page> {
      const page = await newPage(new URL(url).origin);
      page.on('pageerror', (error) => faults.push(`error in the page: ${error.message}`));
      page.on('console', (message) => {
        // Chromium writes each answer with an error status to the console: rejections are part of many journeys.
        if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(message.text());
      });
      page.on('request', (request) => {
        const asked = request.url();
        if (!/^(?:data|blob):/.test(asked) && !asked.startsWith(`${url}/`)) faults.push(`left the origin: ${asked}`);
      });
      await page.goto(`${url}/_tabularium/${hash}`);
      return page;
    }

    /**
     * Creates a page for which the browser has stored nothing. The first page of a journey is in the kept context, because a
     * new one takes a second of processor time.
     */
    async function newPage(origin: string): Promise<Page> {
      if (kept.pages().length > 1) {
        const context = await newContext(browser);
        contexts.push(context);
        return context.newPage();
      }
      const page = await kept.newPage();
      const session = await kept.newCDPSession(page);
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
      await session.detach();
      return page;
    }
  });
}

async function newContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport, acceptDownloads: true, ignoreHTTPSErrors: true });
  context.setDefaultTimeout(stepTimeout);
  return context;
}
