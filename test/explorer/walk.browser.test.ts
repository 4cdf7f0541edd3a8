import { TableClient } from '@azure/data-tables';
import fc from 'fast-check';
import type { Page, Request } from 'playwright-core';
import { expect, it } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { runs } from '../support/arbitrary/property-runs.js';
import { rowOf } from '../support/pages/explorer-grid.js';
import { describeExplorer } from '../support/pages/explorer-page.js';

/** A step of a user, or of a program. */
type Step =
  | { readonly kind: 'type'; readonly row: number; readonly property: string }
  | { readonly kind: 'table'; readonly table: number }
  | { readonly kind: 'account'; readonly account: number }
  | { readonly kind: 'program'; readonly row: number; readonly property: string }
  | { readonly kind: 'tab' | 'back' | 'reload' | 'escape' | 'save' | 'leave while saving' | 'take back' | 'keep mine' };

const rows = ['r0', 'r1'];
const property = fc.constantFrom('Name', 'Note');
const row = fc.nat(rows.length - 1);
const kind = <Kind extends Step['kind']>(name: Kind) => fc.constant({ kind: name });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('type' as const), row, property }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('table' as const), table: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('account' as const), account: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('program' as const), row, property }) },
  { weight: 2, arbitrary: kind('save') },
  ...(['tab', 'back', 'reload', 'escape', 'leave while saving', 'take back', 'keep mine'] as const).map((name) => ({
    weight: 1,
    arbitrary: kind(name),
  })),
);

describeExplorer('A walk through the page', ({ open, hashOf, withTable, client }) => {
  it('writes each typed text where it was typed, and loses none', async () => {
    let walk = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 14 }), async (steps) => {
        walk++;
        const tables = [`Walk${walk}a`, `Walk${walk}b`];
        const clients = await Promise.all(tables.map((name) => withTable(name)));
        for (const table of clients) {
          for (const rowKey of rows) await table.createEntity({ partitionKey: 'p', rowKey, Name: 'n', Note: 'n' });
        }
        const { body } = await client.post('/_tabularium/branches', {}, { prefix: '' });
        const branch = JSON.parse(body) as { readonly account: string; readonly connectionString: string };
        const page = await open(hashOf(tables[0] ?? ''));
        // Back must not leave the page. From a panel that was closed, it goes back twice.
        await page.evaluate("for (let at = 0; at < 28; at++) history.pushState(null, '', location.hash)");
        const accounts = [developmentAccount.name, branch.account];
        await new Walk({ page, tables, clients, accounts, branch: branch.connectionString }).take(steps);
        await page.close();
      }),
      { numRuns: runs(3), endOnFailure: true },
    );
  });
});

/** What was typed into a property of an entity, and how far it has come. */
interface Typed {
  readonly text: string;
  state: 'typed' | 'written' | 'taken back';
}

/** Where a walk is. */
interface WalkPlace {
  readonly page: Page;
  readonly tables: readonly string[];
  /** Of the tables, in their order. */
  readonly clients: readonly TableClient[];
  readonly accounts: readonly string[];
  /** The connection string of the second account. */
  readonly branch: string;
}

class Walk {
  readonly #place: WalkPlace;
  /** By the place: account, table, RowKey and property. */
  readonly #typed = new Map<string, Typed>();
  readonly #faults: string[] = [];
  readonly #running = new Set<Request>();
  #count = 0;

  constructor(place: WalkPlace) {
    this.#place = place;
    const { page } = place;
    page.on('dialog', (dialog) => void dialog.accept());
    page.on('request', (request) => this.#watch(request));
    page.on('requestfinished', (request) => void this.#finish(request));
    page.on('requestfailed', (request) => this.#running.delete(request));
  }

  async take(steps: readonly Step[]): Promise<void> {
    for (const [at, one] of steps.entries()) {
      await this.#do(one);
      await this.#check(`after ${JSON.stringify(steps.slice(0, at + 1))}`);
    }
    this.#place.page.removeAllListeners();
  }

  async #do(one: Step): Promise<void> {
    const { page } = this.#place;
    switch (one.kind) {
      case 'type':
        return this.#type(rows[one.row] ?? '', one.row, one.property);
      case 'table':
        return this.#follow(this.#place.tables[one.table] ?? '');
      case 'account': {
        const choice = page.getByLabel('Account or branch');
        await choice.selectOption(this.#place.accounts[one.account] ?? '');
        return this.#follow(this.#place.tables[0] ?? '');
      }
      case 'program': {
        const [table, account] = this.#shown();
        if (table === undefined) return;
        const own = this.#place.clients[this.#place.tables.indexOf(table)];
        const writer =
          account === developmentAccount.name
            ? own
            : TableClient.fromConnectionString(this.#place.branch, table, { allowInsecureConnection: true });
        await writer?.updateEntity(
          { partitionKey: 'p', rowKey: rows[one.row] ?? '', [one.property]: `program ${this.#count++}` },
          'Merge',
        );
        return;
      }
      case 'tab':
        await page.getByRole('link', { name: 'Requests', exact: true }).click();
        await page.getByRole('link', { name: 'Data', exact: true }).click();
        return;
      case 'back':
        await page.goBack();
        return;
      case 'reload':
        await page.reload();
        return;
      case 'escape':
        if (await this.#panel().isVisible()) await page.keyboard.press('Escape');
        return;
      case 'save':
        await this.#press('Save');
        return;
      case 'leave while saving':
        await this.#press('Save', false);
        return this.#follow(this.#place.tables[1] ?? '');
      case 'keep mine':
        await this.#press('Keep mine');
        return;
      case 'take back':
        return this.#takeBack();
    }
  }

  #panel() {
    return this.#place.page.getByRole('region', { name: 'Entity', exact: true });
  }

  /** Returns the table and the account of the address. */
  #shown(): readonly [table: string | undefined, account: string] {
    const [, account = '', tab, table] = new URL(this.#place.page.url()).hash.split(/[/?]/);
    return [tab === 'data' ? table : undefined, account];
  }

  /** Returns the beginning of the place of the entity that is open. */
  #open(): string | undefined {
    const [table, account] = this.#shown();
    const keys = new URLSearchParams(this.#place.page.url().split('?')[1]).get('row');
    return table === undefined || keys === null ? undefined : `${account} ${table} ${JSON.parse(keys)[1]}`;
  }

  async #follow(table: string): Promise<void> {
    // Back may lead to the requests, which have no list of tables.
    if (new URL(this.#place.page.url()).hash.split('/')[2] !== 'data') {
      await this.#place.page.getByRole('link', { name: 'Data', exact: true }).click();
    }
    await this.#place.page.getByRole('navigation', { name: 'Tables' }).getByRole('link', { name: table }).click();
    await this.#place.page.getByRole('grid').waitFor();
  }

  async #type(rowKey: string, at: number, property: string): Promise<void> {
    const [table] = this.#shown();
    if (table === undefined) return;
    if (await this.#panel().isVisible()) await this.#place.page.keyboard.press('Escape');
    await rowOf(this.#place.page, at).getByText(rowKey, { exact: true }).dblclick();
    const field = this.#panel().getByLabel(`Value of ${property}`);
    await field.waitFor();
    const place = `${this.#open()} ${property}`;
    expect(place.endsWith(`${table} ${rowKey} ${property}`), place).toBe(true);
    const text = `text ${this.#count++}`;
    this.#typed.set(place, { text, state: 'typed' });
    await field.fill(text);
  }

  async #press(button: string, waits = true): Promise<void> {
    const one = this.#place.page.getByRole('button', { name: button, exact: true });
    if (!(await one.isVisible()) || (await one.isDisabled())) return;
    await one.click();
    if (waits) await expect.poll(() => this.#running.size).toBe(0);
  }

  async #takeBack(): Promise<void> {
    const open = this.#open();
    const button = this.#place.page.getByRole('button', { name: 'Take back', exact: true });
    if (open === undefined || !(await button.isVisible())) return;
    await button.click();
    for (const [place, typed] of this.#typed) if (place.startsWith(`${open} `)) typed.state = 'taken back';
  }

  /** Checks a write of the page: it goes to the place where each of its texts was typed. */
  #watch(request: Request): void {
    const written = /\/(\w+)\/(\w+)\(PartitionKey='p',RowKey='(\w+)'\)/.exec(decodeURIComponent(request.url()));
    if (request.method() === 'GET' || !written) return;
    this.#running.add(request);
    for (const [name, value] of Object.entries(JSON.parse(request.postData() ?? '{}'))) {
      const place = `${written.slice(1, 4).join(' ')} ${name}`;
      if (String(value).startsWith('text ') && !this.#isOf(place, String(value))) {
        this.#faults.push(`${value} was written to ${place}`);
      }
    }
  }

  #isOf(place: string, text: string): boolean {
    const other = [...this.#typed].find(([, typed]) => typed.text === text);
    return other === undefined || other[0] === place;
  }

  async #finish(request: Request): Promise<void> {
    if (!this.#running.has(request)) return;
    const answer = await request.response();
    const texts = answer?.ok() ? Object.values(JSON.parse(request.postData() ?? '{}')) : [];
    for (const typed of this.#typed.values()) if (texts.includes(typed.text)) typed.state = 'written';
    this.#running.delete(request);
  }

  /** Each text is in the service, in the store of the page, or it was taken back. */
  async #check(when: string): Promise<void> {
    expect(this.#faults, when).toEqual([]);
    const stored = await this.#place.page.evaluate<string>('JSON.stringify(Object.values(sessionStorage))');
    const lost = [...this.#typed].filter(([, { text, state }]) => state === 'typed' && !stored.includes(text));
    // A write may have been answered meanwhile.
    if (lost.length > 0) await expect.poll(() => this.#running.size).toBe(0);
    expect(
      lost.filter(([, { state }]) => state === 'typed'),
      when,
    ).toEqual([]);
  }
}
