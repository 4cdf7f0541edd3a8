// What the checks speak: entities with typed texts, and rejections. A driver translates it for one SDK.
import assert from 'node:assert/strict';
import dns from 'node:dns';
import { appendFileSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

export const environment = process.env;
export const cases = JSON.parse(readFileSync(environment.TABLES_CASES, 'utf8'));

// Not every resolver knows the names below localhost.
const { lookup } = dns;
dns.lookup = (name, ...rest) => lookup(name.endsWith('.localhost') ? '127.0.0.1' : name, ...rest);

/** The client cannot express what the check asks for. */
export class Cannot extends Error {}

/** The service rejected a call. */
export class Rejected extends Error {
  constructor(status, code, message = '') {
    super(`${status} ${code}: ${message}`);
    Object.assign(this, { status, code, index: Number(/^(\d+):/.exec(message)?.[1] ?? -1) });
  }
}

/** Returns an entity to write. A number is an Int32, every other property a pair of type and text. */
export function entity(partition = 'p', row = 'r', properties = {}) {
  const typed = Object.entries(properties).map(([name, value]) => [
    name,
    typeof value === 'number' ? ['Int32', String(value)] : value,
  ]);
  return { partition, row, properties: Object.fromEntries(typed) };
}

export const expand = (value) => (typeof value === 'string' ? value : value.repeat.repeat(value.times));

/** Whether two pairs of type and text are the same value. */
export function same([kind, text], [other, value] = []) {
  if (kind !== other) return false;
  if (kind === 'Double') return Object.is(Number(text), Number(value));
  if (kind === 'DateTime') return ticks(text) === ticks(value);
  return text === value;
}

function ticks(text) {
  const [, whole, fraction = ''] = /^([^.Z]*)(?:\.(\d+))?Z$/.exec(text);
  return `${whole}.${fraction.padEnd(7, '0')}`;
}

/** Expects a rejection with this status and code. */
export async function rejected(call, status, code) {
  const rejection = await call.then(
    () => assert.fail(`the call was answered, but ${status} ${code ?? ''} was expected`),
    (error) => error,
  );
  if (!(rejection instanceof Rejected)) throw rejection;
  assert.equal(rejection.status, status, rejection.message);
  if (code !== undefined) assert.equal(rejection.code, code);
  return rejection;
}

export const hours = (count) => new Date(Math.floor(Date.now() / 1000 + count * 3600) * 1000);
export const numbers = ({ properties }) =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([, [kind]]) => kind === 'Int32')
      .map(([name, [, text]]) => [name, Number(text)]),
  );

let names = 0;

/** What a file of checks uses: the driver, a client with the account key, tables, and `check`. */
export async function makeTools(driver) {
  const client = driver.open({});
  const newName = () => `${driver.prefix}${++names}`;
  return {
    driver,
    client,
    newName,
    async newTable() {
      const name = newName();
      await client.createTable(name);
      return name;
    },
    signed: (rights) => driver.open({ sas: driver.sign(rights) }),
    /** Runs one check of checks.md and reports its result. */
    check(id, run) {
      test(`${driver.name}: ${id}`, async (context) => {
        const report = (result, why = '') => {
          const { name: client, version } = driver;
          appendFileSync(
            environment.TABLES_RESULTS,
            `${JSON.stringify({ client, version, check: id, result, why })}\n`,
          );
        };
        try {
          await run();
          report('held');
        } catch (error) {
          report(error instanceof Cannot ? 'cannot' : 'failed', String(error.message).slice(0, 500));
          if (!(error instanceof Cannot)) throw error;
          context.skip(error.message);
        }
      });
    },
  };
}
