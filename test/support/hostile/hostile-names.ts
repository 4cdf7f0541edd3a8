import type { RequestOptions, ServiceClient } from '../clients/service-client.js';
import { accountAccess, signAccess, tableAccess } from '../signatures/sign-access.js';

/** One request that carries a hostile name. */
export interface HostileRequest {
  /** Where the name is used. */
  readonly place: string;
  readonly method: string;
  readonly path: string;
  readonly options: RequestOptions;
}

const change = (name: string) => ({ PartitionKey: 'p', RowKey: 'names', [name]: 1 });

/**
 * Returns requests that use a name in each place where the server looks a name up. The table must exist. `name` is
 * one of the names that every plain object of JavaScript inherits.
 */
export function requestsNaming(name: string, table: string): HostileRequest[] {
  const entity = `/${table}(PartitionKey='p',RowKey='names')`;
  const get = (place: string, path: string, options: RequestOptions = {}) => ({ place, method: 'GET', path, options });
  const post = (place: string, path: string, options: RequestOptions) => ({ place, method: 'POST', path, options });
  return [
    ...['Accept', 'Content-Type', 'Prefer', 'If-Match', 'X-HTTP-Method', 'Origin', 'x-ms-version', 'x-ms-date'].map(
      (header) => get(`the header ${header}`, `/${table}`, { headers: { [header]: name } }),
    ),
    get('a header of that name', `/${table}`, { headers: { [name]: name } }),
    get('the metadata level', `/${table}`, { accept: `application/json;odata=${name}` }),
    get('a parameter of the media type', `/${table}`, { accept: `application/json;${name}=${name}` }),
    get('$format', `/${table}?$format=${name}`),
    get('the level of $format', `/${table}?$format=application/json;odata=${name}`),
    get('a query option', `/${table}?${name}=${name}`),
    get('comp', `/${table}?comp=${name}`),
    get('restype', `/?restype=${name}&comp=properties`),
    get('$select', `/${table}?$select=${name}`),
    get('a property in $filter', `/${table}?$filter=${name} eq 1`.replaceAll(' ', '%20')),
    get('a function in $filter', `/${table}?$filter=${name}('a')`),
    get('the prefix of a literal', `/${table}?$filter=a%20eq%20${name}'a'`),
    get('the name of a table', `/${name}`),
    get('a table of the set', `/Tables('${name}')`),
    get('the keys of an entity', `/${table}(PartitionKey='${name}',RowKey='${name}')`),
    get('the name of a key', `/${table}(${name}='a',RowKey='b')`),
    get('a continuation', `/${table}?NextPartitionKey=${name}&NextRowKey=${name}`),
    get('the version of a signature', `/${table}?${signAccess(tableAccess(table, { sv: name }))}`, { auth: 'none' }),
    get('the rights of a signature', `/${table}?${signAccess(tableAccess(table, { sp: name }))}`, { auth: 'none' }),
    get('the policy of a signature', `/${table}?${signAccess(tableAccess(table, { si: name }))}`, { auth: 'none' }),
    get('the table of a signature', `/${table}?${signAccess(tableAccess(name))}`, { auth: 'none' }),
    get('the resource types of a signature', `/${table}?${signAccess(accountAccess({ srt: name }))}`, { auth: 'none' }),
    get('the scheme of Authorization', `/${table}`, { headers: { Authorization: `${name} a:b` } }),
    get('the account of Authorization', `/${table}`, { headers: { Authorization: `SharedKey ${name}:b` } }),
    get('the account of the path', '/Tables', { prefix: `/${name}` }),
    get('an own path', `/_tabularium/${name}`, { prefix: '' }),
    post('the name of a new table', '/Tables', { body: { TableName: name } }),
    post('a property', `/${table}`, { body: JSON.stringify(change(name)).replace('"names"', `"${name}"`) }),
    post('a property twice', `/${table}`, { body: `{"PartitionKey":"p","RowKey":"r","${name}":1,"${name}":2}` }),
    post('the type of a property', `/${table}`, { body: { ...change('A'), 'A@odata.type': name } }),
    post('the property of an annotation', `/${table}`, {
      body: { ...change('A'), [`${name}@odata.type`]: 'Edm.Int32' },
    }),
    { place: 'a property of a merge', method: 'MERGE', path: entity, options: { body: change(name) } },
    { place: 'a property of a replace', method: 'PUT', path: entity, options: { body: change(name) } },
    { place: 'a verb', method: 'POST', path: entity, options: { headers: { 'X-HTTP-Method': name } } },
    { place: 'a preflight', method: 'OPTIONS', path: `/${table}`, options: preflight(name) },
    { place: 'an access policy', method: 'PUT', path: `/${table}?comp=acl`, options: { body: policyOf(name), ...xml } },
    {
      place: 'an XML reference',
      method: 'PUT',
      path: `/${table}?comp=acl`,
      options: { body: policyOf(`&${name};`), ...xml },
    },
    {
      place: 'an XML element',
      method: 'PUT',
      path: `/${table}?comp=acl`,
      options: { body: `<${name}></${name}>`, ...xml },
    },
    {
      place: 'an element of the service properties',
      method: 'PUT',
      path: '/?restype=service&comp=properties',
      options: { body: `<StorageServiceProperties><${name}/></StorageServiceProperties>`, ...xml },
    },
    batch('the metadata level of a part', table, [`Accept: application/json;odata=${name}`]),
    batch('a header of a part', table, [`${name}: ${name}`]),
    batch('the type of a part', table, [`Content-Type: ${name}`]),
  ];
}

const xml = { accept: 'application/xml', headers: { 'Content-Type': 'application/xml' } } as const;

function policyOf(id: string): string {
  return `<SignedIdentifiers><SignedIdentifier><Id>${id}</Id></SignedIdentifier></SignedIdentifiers>`;
}

function preflight(name: string): RequestOptions {
  return {
    auth: 'none',
    headers: { Origin: name, 'Access-Control-Request-Method': name, 'Access-Control-Request-Headers': name },
  };
}

function batch(place: string, table: string, headers: readonly string[]): HostileRequest {
  const body = [
    '--b',
    'Content-Type: application/http',
    'Content-Transfer-Encoding: binary',
    '',
    `GET http://127.0.0.1/devstoreaccount1/${table}() HTTP/1.1`,
    ...headers,
    '',
    '',
    '--b--',
    '',
  ].join('\r\n');
  const options = { body, headers: { 'Content-Type': 'multipart/mixed; boundary=b' } };
  return { place, method: 'POST', path: '/$batch', options };
}

/** Sends one request and returns the highest status of its answer, including the parts of a batch. */
export async function sendNaming(client: ServiceClient, { method, path, options }: HostileRequest): Promise<number> {
  const { status, body } = await client.send(method, path, options);
  // The answer of a batch is 202, regardless of its parts.
  const part = /HTTP\/1\.1 (\d{3})/.exec(body)?.[1];
  return Math.max(status, Number(part ?? 0));
}
