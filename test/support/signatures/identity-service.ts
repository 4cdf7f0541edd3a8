import type { RunningServer } from '../../../src/server.js';
import type { JsonObject } from '../answers/answer.js';
import { batchBoundary, insert, writeChangeSet } from '../bodies/batch-tools.js';
import type { HttpsRequest } from '../clients/https-client.js';
import type { HttpsTools } from '../servers/https-service.js';

const add = 'Microsoft.Storage/storageAccounts/tableServices/tables/entities/add/action';
const update = 'Microsoft.Storage/storageAccounts/tableServices/tables/entities/update/action';

/** Identities with one kind of right each. */
export const sampleIdentities = {
  tenant: '11111111-1111-1111-1111-111111111111',
  identities: {
    app1: { roles: ['Storage Table Data Contributor'] },
    reader: { roles: ['Storage Table Data Reader'] },
    owner: { roles: ['Owner'] },
    delegator: { roles: ['Storage Table Delegator'] },
    'people-only': {
      roles: [{ role: 'Storage Table Data Contributor', account: 'devstoreaccount1', table: 'people' }],
    },
    elsewhere: { roles: [{ role: 'Storage Table Data Contributor', account: 'otheraccount' }] },
    adder: { clientId: '22222222-2222-2222-2222-222222222222', roles: ['Row adder'] },
    'adder-and-updater': { roles: ['Row adder', 'Row updater'] },
    careful: { roles: ['All but deletes', 'Storage Table Data Reader'] },
    nobody: {},
  },
  roles: {
    'Row adder': { dataActions: [add] },
    'Row updater': { dataActions: [update] },
    'All but deletes': { dataActions: ['*'], notDataActions: ['*/delete', '*/read'] },
  },
} as const;

/** The name of a sample identity. */
export type SampleName = keyof typeof sampleIdentities.identities;

/** Returns the identities of a server that has some. */
export function identitiesOf({ identities }: Pick<RunningServer, 'identities'>) {
  if (!identities) throw new Error('the service has no identities');
  return identities;
}

/** Issues a token for an identity. */
export async function tokenOf(
  service: Pick<RunningServer, 'identities'>,
  name: string,
  { audience = 'https://storage.azure.com', seconds }: { readonly audience?: string; readonly seconds?: number } = {},
): Promise<string> {
  const identities = identitiesOf(service);
  return (await identities.issue(identities.choose(name), audience, seconds)).token;
}

/** Sends one request of each operation as an identity. Returns status and code of each answer. */
export class IdentityCalls {
  readonly #tools: HttpsTools;
  readonly #auth: { readonly token: string };
  #unique = 0;

  constructor(tools: HttpsTools, token: string) {
    this.#tools = tools;
    this.#auth = { token };
  }

  /** Sends a request. Returns its status, and its code if it was rejected. */
  async send(method: string, path: string, body?: string | JsonObject, headers: HttpsRequest['headers'] = {}) {
    const answer = await this.#tools.client.send(method, path, { auth: this.#auth, body, headers });
    const code = /"code":"(\w+)"|code>(\w+)</.exec(answer.body)?.slice(1).find(Boolean);
    return code === undefined ? `${answer.status}` : `${answer.status} ${code}`;
  }

  #row(table: string, name = 'fixed') {
    return `/${table}(PartitionKey='p',RowKey='${name}')`;
  }

  /** Calls each operation on a table that has the row `fixed`. */
  async all(table = 'people'): Promise<Readonly<Record<string, string>>> {
    const unique = `t${this.#unique++}${Math.random().toString(36).slice(2)}`;
    const entity = { PartitionKey: 'p', RowKey: unique };
    const any = { 'if-match': '*' };
    const xml = { accept: 'application/xml' };
    return {
      'Query Tables': await this.send('GET', '/Tables'),
      'Get Table': await this.send('GET', `/Tables('${table}')`),
      'Create Table': await this.send('POST', '/Tables', { TableName: unique }),
      'Delete Table': await this.send('DELETE', `/Tables('${unique}')`),
      'Query Entities': await this.send('GET', `/${table}()`),
      'Get Entity': await this.send('GET', this.#row(table)),
      'Insert Entity': await this.send('POST', `/${table}`, entity),
      'Insert Or Merge Entity': await this.send('MERGE', this.#row(table), { A: 1 }),
      'Insert Or Replace Entity': await this.send('PUT', this.#row(table), { A: 1 }),
      'Merge Entity': await this.send('MERGE', this.#row(table), { A: 1 }, any),
      'Update Entity': await this.send('PUT', this.#row(table), { A: 1 }, any),
      'Delete Entity': await this.send('DELETE', this.#row(table, 'absent'), undefined, any),
      'Get Table Service Properties': await this.send('GET', '/?restype=service&comp=properties', undefined, xml),
      'Get Table ACL': await this.send('GET', `/${table}?comp=acl`, undefined, xml),
      'Get Table ACL, 2025-07-05': await this.send('GET', `/${table}?comp=acl`, undefined, {
        ...xml,
        'x-ms-version': '2025-07-05',
      }),
      Transaction: await this.transaction(table, { PartitionKey: 'p', RowKey: `${unique}b` }),
    };
  }

  /** Inserts an entity in a transaction. Returns the status of the answer and of its part. */
  async transaction(table: string, entity: JsonObject): Promise<string> {
    const part = insert(table, entity);
    const { base } = this.#tools.service();
    const answer = await this.#tools.client.send('POST', '/$batch', {
      auth: this.#auth,
      headers: { 'content-type': `multipart/mixed; boundary=${batchBoundary}` },
      body: writeChangeSet([{ ...part, url: `${base}/${table}` }]),
    });
    const [, status] = /HTTP\/1\.1 (\d+)/.exec(answer.body) ?? [];
    return `${answer.status}/${status}`;
  }
}
