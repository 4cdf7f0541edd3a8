import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTabularium, type Tabularium } from '../../../src/index.js';
import { checkInput, readStrings } from '../../../src/verbs/check-input.js';
import { allVerbs } from '../../../src/verbs/registry.js';
import { RejectedCall } from '../../../src/verbs/verb.js';
import { runLine } from '../../support/programs/run-line.js';

describe('The message about input that a verb does not take', () => {
  let server: Tabularium;
  beforeAll(async () => {
    server = await startTabularium();
  });
  afterAll(() => server.close());

  it.each([
    [['reset', '--tabel', 'Orders'], 'There is no --tabel. Did you mean --table?'],
    [['reset', 'Orders'], "Unexpected argument 'Orders'. Usage: node dist/main.js reset [options]"],
    [['reset', '--table'], '--table needs a value.'],
    [['requests', '--url', '-1'], "--url cannot be '-1'. Use the URL of a server"],
    [['requests', '-f'], 'There is no -f. Did you mean --follow?'],
    [['requests', '--folow'], 'There is no --folow. Did you mean --follow?'],
    [['request', 'list', '--follow'], 'Write it after the noun alone: node dist/main.js requests --follow'],
    [['requests', '--explorer=true'], '--explorer takes no value.'],
    [['mark', '- x'], 'There is no -. Known: --url, --json.'],
    [['undo', '-x'], 'There is no -x. Known: --url, --json.'],
    [['coach', '--acept', 'x.json'], 'There is no --acept. Did you mean --accept?'],
    [['clock', 'advance', '-1h'], "BY must be a length of time, such as 90s, 5m, 1h or 7d; got '-1h'."],
    [['clock', 'advance', '-.5h'], "BY must be a length of time, such as 90s, 5m, 1h or 7d; got '-.5h'."],
    [['entity', 'delete', 'Orders', '-1 lt Size'], 'has no table Orders.'],
    [['snapshot', 'create'], 'NAME is missing, such as "base".'],
    [['branch', 'delete', ''], 'ACCOUNT must not be empty.'],
    [['snapshot', 'create', 'base', '--account', ' '], '--account must not be empty.'],
    [['diff', 'base', '--limit', 'many'], "--limit must be a number; got 'many'."],
    [['diff', 'base', '--limit', '0'], '--limit must be at least 1; got 0.'],
    [['branch', 'create', '--for', 'long'], "--for must be a length of time, such as 90s, 5m, 1h or 7d; got 'long'."],
    [['requests', '--table', 'x', '--tablePort=10010'], 'There is no --tablePort here. Use --url 10010.'],
    [['reset', '--tablePort', '10010'], 'There is no --tablePort here. Use --url 10010.'],
    [['snapshot', 'restor', 'base'], "There is no 'snapshot restor'. Did you mean 'snapshot restore'?"],
    [['snapshot', 'constructor'], "There is no 'snapshot constructor'. The verbs are: create, delete, list, restore."],
    [['snapshot', 'frobnicate'], "There is no 'snapshot frobnicate'. The verbs are: create, delete, list, restore."],
    [['tabels'], "There is no command 'tabels'. Did you mean 'tables'?"],
    [['snapshot', 'create', 'a b'], 'NAME must be up to 63 letters, digits, dots, dashes and underscores'],
    [['entity'], 'TABLE is missing, such as "Orders".'],
  ])('of the command line %j is: %s', async (words, message) => {
    const { code, errors } = await runLine(words, { TABULARIUM_URL: server.url });
    expect({ code, errors }).toEqual({ code: 2, errors: expect.stringContaining(message) });
    expect(errors.trimEnd().split('\n')).toHaveLength(1);
  });

  it.each([
    ['PUT', '/snapshots/base', { acount: 'x' }, "There is no 'acount'. Did you mean 'account'?"],
    ['PUT', '/snapshots/base', { account: 7 }, "'account' must be a string; got 7."],
    ['PUT', '/snapshots/base', { name: 'other' }, "'name' is in the path. Leave it out of the body."],
    ['PUT', '/snapshots/base', { constructor: 7 }, "There is no 'constructor'. Known: 'name', 'account'."],
    [
      'PUT',
      '/snapshots/a%20b',
      {},
      "'name' must be up to 63 letters, digits, dots, dashes and underscores, beginning with a letter or a digit, and not 'empty'; got 'a b'.",
    ],
    ['POST', '/reset?table=Orders', {}, "There is no query 'table'. Send fields as a JSON body."],
    ['POST', '/reset', [], 'Send a JSON object with any of: account, table, tablePrefix, partition, to.'],
    ['GET', '/tables?count=maybe', undefined, "'count' must be true or false; got 'maybe'."],
    ['GET', '/tables?account=a&account=b', undefined, "'account' appears more than once."],
    ['GET', '/snapshots?verbose', undefined, "There is no 'verbose'. It takes no fields."],
  ])('of %s %s %j is: %s', async (method, path, body, message) => {
    const answer = await fetch(`${server.url}/_tabularium${path}`, {
      method,
      ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    expect([answer.status, await answer.json()]).toEqual([400, { error: message }]);
  });
});

describe('The check of input', () => {
  const values = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom('1h', 'empty', ''),
    fc.array(fc.string()),
  );

  it.each(allVerbs.map((verb) => [verb.name, verb] as const))(
    'of %s accepts it or says why, in one line',
    (_name, verb) => {
      const fields = fc.constantFrom('unknown', '__proto__', ...Object.keys(verb.takes));
      fc.assert(
        fc.property(fc.dictionary(fields, values), (input) => {
          try {
            const checked = checkInput(verb, readStrings(verb, input));
            expect(Object.keys(verb.takes)).toEqual(expect.arrayContaining(Object.keys(checked)));
          } catch (error) {
            expect(error).toBeInstanceOf(RejectedCall);
            expect((error as RejectedCall).message).toMatch(/^.+\.$/s);
            expect((error as RejectedCall).message).not.toMatch(/undefined|Expected|Invalid/);
          }
        }),
      );
    },
  );
});
