import { describe, expect, it } from 'vitest';
import { parseDefinition, readDefinition } from '../../../src/identity/read-definition.js';

const read = (definition: object) => readDefinition(definition, 'file');
const one = (identity: object, more: object = {}) => read({ identities: { app: identity }, ...more });
const rolesOf = (definition: ReturnType<typeof read>) => definition.principals.map(({ roles }) => roles);

describe('A file of identities', () => {
  it('makes the IDs that it does not have from the name, the same everywhere', () => {
    const [app] = one({}).principals;

    expect(app).toMatchObject({ name: 'app', roles: [] });
    expect([app?.clientId, app?.objectId, app?.tenant]).toEqual([
      'c34d9f30-9bd9-855d-a615-81b161510431',
      '5a3e5953-2bfc-89dd-a9f0-ca701d5e02f4',
      '67eeb7e5-579e-86cf-afb6-75a9a9541397',
    ]);
  });

  it('names a role in any letter case, by its ID, or by a path that ends with the ID', () => {
    const id = '76199698-9eea-4c19-bc75-cec21354c6b6';
    const named = ['storage table data READER', id, `/providers/Microsoft.Authorization/roleDefinitions/${id}`];

    expect(rolesOf(one({ roles: named }))).toEqual([named.map(() => ({ role: 'Storage Table Data Reader' }))]);
  });

  it.each([
    ['/subscriptions/s', {}],
    ['/subscriptions/s/resourceGroups/g', {}],
    ['/providers/Microsoft.Management/managementGroups/m', {}],
    ['/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a', { account: 'a' }],
    [
      '/subscriptions/s/resourcegroups/g/providers/microsoft.storage/storageaccounts/A/tableServices/default',
      { account: 'a' },
    ],
    [
      '/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/a/tableServices/default/tables/T',
      { account: 'a', table: 't' },
    ],
  ])('takes the scope %s', (scope, place) => {
    expect(rolesOf(one({ roles: [{ role: 'Owner', scope }] }))).toEqual([[{ role: 'Owner', ...place }]]);
  });

  it('has tokens of 24 hours, accepts keys and trusts no other issuer by default', () => {
    expect(one({})).toMatchObject({ tokenSeconds: 86_400, rejectsKeys: false, trusted: [] });
    expect(one({}, { tokenLifetime: '1h', keys: 'rejected' })).toMatchObject({ tokenSeconds: 3600, rejectsKeys: true });
  });

  it.each([
    [
      { roles: ['Storage Table Data Raeder'] },
      "file: identities.app.roles[0]: there is no role 'Storage Table Data Raeder'. Did you mean 'Storage Table Data Reader'?",
    ],
    [
      { roles: [{ role: 'Owner', table: 't' }] },
      'file: identities.app.roles[0].table: a table needs its account, as "account": "devstoreaccount1".',
    ],
    [
      { roles: [{ role: 'Owner', scope: '/x' }] },
      "file: identities.app.roles[0].scope must be the scope of a storage account or a table, or one above it; got '/x'.",
    ],
    [
      { roles: [{ role: 'Owner', scope: '/subscriptions/s', account: 'a' }] },
      'file: identities.app.roles[0].scope: a scope names account and table itself. Leave out the others.',
    ],
    [{ roles: [{}] }, 'file: identities.app.roles[0].role is missing, such as "Storage Table Data Reader".'],
    [{ roles: 'Owner' }, "file: identities.app.roles must be a list; got 'Owner'."],
    [{ roles: [5] }, 'file: identities.app.roles[0] must be an object.'],
    [{ role: 'Owner' }, "file: There is no 'role'. Did you mean identities.app.roles?"],
    [{ clientId: 'x' }, "file: identities.app.clientId must be a GUID; got 'x'."],
  ])('is rejected with its place: %o', (identity, message) => {
    expect(() => one(identity)).toThrow(message);
  });

  it.each([
    [{}, 'file: there are no identities.'],
    [{ identities: {} }, 'file: identities: there is no identity.'],
    [{ identities: [] }, 'file: identities must be an object; got a list.'],
    [{ identities: { 'a;b': {} } }, 'file: identities.a;b: the name of an identity has up to 64 letters'],
    [{ identities: { a: {} }, tennant: 'x' }, "file: There is no 'tennant'. Did you mean tenant?"],
    [{ identities: { a: {} }, tenant: 'x' }, "file: tenant must be a GUID; got 'x'."],
    [{ identities: { a: {} }, keys: 'no' }, "file: keys must be one of: accepted, rejected; got 'no'."],
    [{ identities: { a: {} }, tokenLifetime: '1' }, 'file: tokenLifetime must be a length of time'],
    [{ identities: { a: {} }, trusted: [{ issuer: 'x' }] }, 'file: trusted[0].jwks is missing, such as "keys.json".'],
    [{ identities: { a: {} }, roles: { Owner: {} } }, 'file: roles.Owner: a built-in role has this name.'],
    [
      { identities: { a: { roles: ['x'] } }, roles: { X: { actions: ['*'] }, x: {} } },
      "file: roles.x: the role 'X' has this name already, because letter case does not count.",
    ],
    [
      { identities: { a: {} }, roles: { '76199698-9EEA-4c19-bc75-cec21354c6b6': {} } },
      'file: roles.76199698-9EEA-4c19-bc75-cec21354c6b6: a built-in role has this ID.',
    ],
    [
      { identities: { a: {} }, roles: { 'team/reader': {} } },
      "file: roles.team/reader: the name of a role has at least one character, and no '/'.",
    ],
    [{ identities: { a: {} }, roles: { '': {} } }, 'the name of a role has at least one character'],
    [
      { identities: { a: {} }, roles: { R: { actions: [''] } } },
      'file: roles.R.actions (an item of the list) must not be empty.',
    ],
    [
      {
        identities: {
          a: { clientId: '22222222-2222-2222-2222-222222222222' },
          b: { objectId: '22222222-2222-2222-2222-222222222222' },
        },
      },
      'file: identities: a and b have the same ID 22222222-2222-2222-2222-222222222222.',
    ],
  ])('is rejected: %o', (definition, message) => {
    expect(() => read(definition)).toThrow(message);
  });

  it.each([
    ['{', 'file is not JSON: '],
    ['{"identities":{"app":{},"app":{}}}', 'file: identities.app appears twice.'],
    [
      '{"identities":{"app":{"roles":[{"role":"Owner","role":"Reader"}]}}}',
      'file: identities.app.roles.role appears twice.',
    ],
    ['{"identities":{"a\\u0070p":{},"app":{}}}', 'file: identities.app appears twice.'],
    ['{"identities":{"{\\"a\\":1,":{}},"identities":{}}', 'file: identities appears twice.'],
  ])('is rejected as text: %s', (text, message) => {
    expect(() => parseDefinition(text, 'file')).toThrow(message);
  });

  it('may have one name in several objects', () => {
    const text = '{"identities":{"a":{"roles":[{"role":"Owner"},{"role":"Owner"}]},"roles":{"roles":[]}}}';

    expect(parseDefinition(text, 'file').principals.map(({ name }) => name)).toEqual(['a', 'roles']);
  });
});
