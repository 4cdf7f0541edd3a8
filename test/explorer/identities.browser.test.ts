import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../src/index.js';
import { rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

const identities = {
  identities: {
    app: { roles: ['Storage Table Data Contributor'] },
    reader: { roles: ['Storage Table Data Reader'] },
    owner: { roles: ['Owner'] },
    'one-table': {
      roles: [{ role: 'Storage Table Data Reader', account: 'devstoreaccount1', table: 'People' }],
    },
    nobody: {},
  },
};

describeExplorer('The page of a server with identities', ({ openAt }) => {
  const started: Tabularium[] = [];
  let shared: Promise<Tabularium> | undefined;
  afterAll(() => Promise.all(started.map((server) => server.close())));
  /** Starts a server that has a table with an entity. */
  const start = async (definition: object) => {
    const server = await startTabularium({
      https: true,
      identities: definition,
      seed: 'test/clients/identity/people.ndjson',
    });
    started.push(server);
    return server;
  };
  /** Returns the server of the journeys that change nothing. */
  const serve = () => {
    shared ??= start(identities);
    return shared;
  };
  const condition = (page: Page) => page.getByRole('complementary', { name: 'Not as usual' });
  const readAs = async (page: Page, name: string) => {
    const place = await page.evaluate<string>('location.hash');
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await page.getByRole('button', { name: `Read as ${name}` }).press('Enter');
    await condition(page).getByText(`Tables are read as ${name}`).waitFor();
    await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  };

  it.each([390, 800, 1280])(
    'has each identity with its roles and lines to copy in the tab Connect: %i px',
    async (width) => {
      const { url } = await serve();
      const page = await openAt(url, '#/devstoreaccount1/connect');
      await page.setViewportSize({ width, height: 800 });
      const items = page.getByRole('list', { name: 'Identities' }).getByRole('listitem');
      await items.first().waitFor();

      expect(await items.locator('h3').allInnerTexts()).toEqual(Object.keys(identities.identities));
      const facts = await items.locator('.faint').allInnerTexts();
      expect(facts.map((text) => text.split(' · ')[0])).toEqual([
        'Storage Table Data Contributor',
        'Storage Table Data Reader',
        'Owner',
        'Storage Table Data Reader on the table people of devstoreaccount1',
        'no role',
      ]);
      expect(await items.nth(1).locator('code').allInnerTexts()).toEqual([
        'node dist/main.js exec --identity identities.json --as reader -- npm test',
        `node dist/main.js identity environment reader --url ${url}`,
      ]);
      const [content, seen] = await page.evaluate<[number, number]>(
        `[document.documentElement.scrollWidth, document.getElementById('content').scrollWidth - document.getElementById('content').clientWidth]`,
      );
      expect([content <= width, seen <= 0]).toEqual([true, true]);
    },
  );

  it.each([390, 800, 1280])(
    'reads tables with the rights of the identity that is chosen, and says so: %i px',
    async (width) => {
      const { url } = await serve();
      const page = await openAt(url, '#/devstoreaccount1/data/People');
      await page.setViewportSize({ width, height: 800 });
      await rowOf(page, 0).waitFor();
      await page.getByRole('link', { name: 'Connect' }).click();
      await page.getByRole('button', { name: 'Read as owner' }).click();
      await page.getByRole('link', { name: 'Data' }).click();

      await page.getByText('Its roles manage accounts and tables; entities need a data role.').waitFor();
      expect(await rowOf(page, 0).count()).toBe(0);
      await condition(page).getByText('Tables are read as owner').waitFor();

      await page.reload();
      await condition(page).getByText('Tables are read as owner').waitFor();
      await condition(page).getByRole('button', { name: 'Read with the account key' }).click();
      await rowOf(page, 0).waitFor();
      expect(await condition(page).count()).toBe(0);
    },
  );

  it('is read as an identity by keyboard, and back with the key', async () => {
    const { url } = await serve();
    const page = await openAt(url, '#/devstoreaccount1/data/People');
    await rowOf(page, 0).waitFor();
    await readAs(page, 'nobody');
    await page.getByText('The identity nobody has no role.').first().waitFor();
    await readAs(page, 'reader');
    await rowOf(page, 0).waitFor();

    await condition(page).getByRole('button', { name: 'Read with the account key' }).press('Enter');
    await page.getByRole('button', { name: 'New entity' }).waitFor();
    await rowOf(page, 0).waitFor();
  });

  it('offers nothing that has other rights while it reads as an identity', async () => {
    const { url } = await serve();
    const page = await openAt(url, '#/devstoreaccount1/data/People');
    await rowOf(page, 0).waitFor();
    await readAs(page, 'app');
    await rowOf(page, 0).waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Entity', exact: true }).waitFor();

    const buttons = await page.getByRole('button').allInnerTexts();
    await page.getByRole('button', { name: 'Actions for People' }).click();
    const actions = await page.getByRole('menuitem').allInnerTexts();
    expect(actions).toContain('Copy as JavaScript');
    await page.keyboard.press('Escape');
    expect(
      [...buttons, ...actions].filter((text) => /new|insert|create|delete|import|export|save|history/i.test(text)),
    ).toEqual([]);
    expect(await page.getByLabel('Value of Name').getAttribute('readonly')).toBe('');
  });

  it('opens a table by its name for an identity that may not list tables', async () => {
    const { url } = await serve();
    const page = await openAt(url, '#/devstoreaccount1/data');
    await page.getByRole('link', { name: /^People/ }).waitFor();
    await readAs(page, 'one-table');
    await page.getByText('The tables cannot be listed').waitFor();
    await page.getByText('Assign it on the account devstoreaccount1.').waitFor();
    expect(await page.getByRole('link', { name: /^People/ }).count()).toBe(0);

    await page.getByLabel('Name of a table').fill('People');
    await page.keyboard.press('Enter');
    await rowOf(page, 0).waitFor();
  });

  it('reads as an identity if the server rejects keys, and says that it has to', async () => {
    const { url } = await start({ ...identities, keys: 'rejected' });
    const page = await openAt(url, '#/devstoreaccount1/data/People');
    await page.getByText('This server rejects keys').waitFor();
    expect(await page.getByRole('button', { name: 'New entity' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Read as reader' }).focus();
    await page.keyboard.press('Enter');
    await rowOf(page, 0).waitFor();
    await condition(page).getByText('Tables are read as reader').waitFor();
    expect(await page.getByRole('button', { name: 'Read with the account key' }).count()).toBe(0);
  });

  it('continues with a new token when the server no longer accepts its own', async () => {
    const { url } = await serve();
    const page = await openAt(url, '#/devstoreaccount1/data/People');
    await rowOf(page, 0).waitFor();
    const tokens: number[] = [];
    await page.route('**/identities/reader/token', async (route) => {
      const answer = await route.fetch();
      const issued = (await answer.json()) as { readonly token: string };
      tokens.push(answer.status());
      const token = tokens.length === 1 ? `${issued.token.slice(0, -8)}AAAAAAAA` : issued.token;
      await route.fulfill({ response: answer, json: { ...issued, token } });
    });
    await readAs(page, 'reader');
    await rowOf(page, 0).waitFor();
    expect(tokens).toEqual([200, 200]);
  });

  it('keeps tokens and secrets out of document, addresses, storage and journal', async () => {
    const { url, identities: served } = await start(identities);
    const page = await openAt(url, '#/devstoreaccount1/data/People');
    const addresses: string[] = [];
    page.on('request', (asked) => addresses.push(asked.url()));
    const issued = page.waitForResponse((answer) => answer.url().endsWith('/identities/reader/token'));
    await rowOf(page, 0).waitFor();
    await readAs(page, 'reader');
    await rowOf(page, 0).waitFor();
    await page.getByRole('link', { name: 'Connect' }).click();
    await page.getByRole('list', { name: 'Identities' }).getByRole('listitem').first().waitFor();

    const { token } = (await (await issued).json()) as { readonly token: string };
    const secret = (await served.environment('reader')).set.find(({ name }) => name === 'IDENTITY_HEADER')?.value ?? '';
    const [, claims = ''] = token.split('.');
    const stored = await page.evaluate<string>(
      `JSON.stringify([document.documentElement.outerHTML, location.href, {...localStorage}, {...sessionStorage}])`,
    );
    const journal = await page.evaluate<string>(
      `fetch('/_tabularium/requests?explorer').then((answer) => answer.text())`,
    );
    for (const text of [stored, journal, ...addresses]) {
      for (const hidden of [claims, secret]) expect(text).not.toContain(hidden);
    }
    expect(journal).toContain('"reader"');
    expect(addresses.filter((address) => /People\(\)/.test(address)).at(-1)).not.toContain('sig=');
  });
});
