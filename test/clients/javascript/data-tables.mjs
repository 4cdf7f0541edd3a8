// @azure/data-tables.
import { readFileSync } from 'node:fs';
import {
  AzureNamedKeyCredential,
  AzureSASCredential,
  generateAccountSas,
  generateTableSas,
  RestError,
  TableClient,
  TableServiceClient,
} from '@azure/data-tables';
import { Cannot, environment as env, Rejected } from './model.mjs';

const { version } = JSON.parse(readFileSync('node_modules/@azure/data-tables/package.json', 'utf8'));
const credentialOf = (key = env.TABLES_KEY) => new AzureNamedKeyCredential(env.TABLES_ACCOUNT, key);

export const dataTables = {
  name: 'JavaScript @azure/data-tables',
  version,
  prefix: 'tables',
  hasTicks: true,

  open({ endpoint = env.TABLES_ENDPOINT, connectionString, key, sas, token, trusted = true }) {
    const options = {
      allowInsecureConnection: true,
      retryOptions: { maxRetries: 0 },
      ...(trusted && { tlsOptions: { ca: readFileSync(env.TABLES_CERTIFICATE, 'utf8') } }),
    };
    const bearer = { getToken: async () => ({ token, expiresOnTimestamp: Date.now() + 3_600_000 }) };
    const credential = sas ? new AzureSASCredential(sas) : token ? bearer : credentialOf(key);
    if (connectionString)
      return client(TableServiceClient.fromConnectionString(connectionString, options), (table) =>
        TableClient.fromConnectionString(connectionString, table, options),
      );
    return client(
      new TableServiceClient(endpoint, credential, options),
      (table) => new TableClient(endpoint, table, credential, options),
    );
  },

  /** The package replaces the host for the secondary endpoint, so only the host style has statistics. */
  openStatistics() {
    return this.open({ endpoint: env.TABLES_HOST_ENDPOINT });
  },

  sign({ table, permissions = 'raud', types = 'sco', start, expiry, address, httpsOnly, keys, policy }) {
    const [from, to = from] = address?.split('-') ?? [];
    const limits = {
      ...(start && { startsOn: start }),
      ...(expiry && { expiresOn: expiry }),
      ...(address && { ipRange: { start: from, end: to } }),
      ...(httpsOnly && { protocol: 'https' }),
    };
    if (!table) {
      const words = { r: 'query', w: 'write', d: 'delete', l: 'list', a: 'add', c: 'create', u: 'update' };
      const rights = Object.fromEntries([...permissions].map((letter) => [words[letter], true]));
      return generateAccountSas(credentialOf(), { permissions: rights, resourceTypes: types, ...limits });
    }
    if (policy) return generateTableSas(table, credentialOf(), { identifier: policy });
    const words = { r: 'query', a: 'add', u: 'update', d: 'delete' };
    const rights = Object.fromEntries([...permissions].map((letter) => [words[letter], true]));
    const [startPartitionKey, startRowKey, endPartitionKey, endRowKey] = keys ?? [];
    const range = keys ? { startPartitionKey, startRowKey, endPartitionKey, endRowKey } : {};
    return generateTableSas(table, credentialOf(), { permissions: rights, ...limits, ...range });
  },
};

function encode({ partition, row, properties }) {
  const values = Object.entries(properties).map(([name, [type, text]]) => [
    name,
    type === 'String'
      ? text
      : type === 'Boolean'
        ? text === 'true'
        : type === 'Int32'
          ? Number(text)
          : { type, value: text },
  ]);
  return { partitionKey: partition, rowKey: row, ...Object.fromEntries(values) };
}

function decode({ partitionKey, rowKey, etag, timestamp, ...rest }) {
  const properties = Object.entries(rest)
    .filter(([name, value]) => !name.startsWith('odata.') && value !== null)
    .map(([name, value]) => [name, pairOf(value)]);
  return { partition: partitionKey, row: rowKey, tag: etag, timestamp, properties: Object.fromEntries(properties) };
}

function pairOf(value) {
  if (typeof value === 'object') return [value.type, String(value.value)];
  if (typeof value === 'boolean') return ['Boolean', String(value)];
  return typeof value === 'string' ? ['String', value] : ['Double', String(value)];
}

/** Turns an error of the package into a rejection; other errors are the client's own. */
async function sent(call) {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof RestError)) throw new Cannot(`the client rejects it: ${error.message}`);
    if (error.statusCode === undefined) throw error;
    const odata = error.details?.odataError;
    throw new Rejected(error.statusCode, error.code ?? odata?.code, odata?.message?.value ?? error.message);
  }
}

/** The package treats some rejections as success, so the status is taken from the answer itself. */
function strict(call) {
  let answer;
  const onResponse = (response) => {
    answer = response;
  };
  return sent(call({ onResponse })).then((result) => {
    if (answer.status < 400) return result;
    const { code } = JSON.parse(answer.bodyAsText)['odata.error'];
    throw new Rejected(answer.status, code);
  });
}

const condition = (tag) => (tag ? { etag: tag } : {});
const mode = { merge: 'Merge', replace: 'Replace' };

function client(service, of) {
  const asked = (filter, select) => ({
    queryOptions: { ...(filter && { filter }), ...(select && { select }) },
    disableTypeConversion: true,
  });
  const collect = async (items, make) => {
    const found = [];
    for await (const item of items) found.push(make(item));
    return found;
  };
  return {
    createTable: (table) => strict((options) => service.createTable(table, options)),
    deleteTable: (table) => strict((options) => service.deleteTable(table, options)),
    tablePages: (filter, size = 1000) =>
      sent(
        collect(service.listTables(filter ? asked(filter) : {}).byPage({ maxPageSize: size }), (page) =>
          page.map(({ name }) => name),
        ),
      ),
    insert: async (table, one) => (await sent(of(table).createEntity(encode(one)))).etag,
    get: async (table, partition, row, select) =>
      decode(await sent(of(table).getEntity(partition, row, asked(undefined, select)))),
    update: async (table, one, how, tag) =>
      (await sent(of(table).updateEntity(encode(one), mode[how], condition(tag)))).etag,
    upsert: async (table, one, how) => (await sent(of(table).upsertEntity(encode(one), mode[how]))).etag,
    delete: (table, partition, row, tag) => sent(of(table).deleteEntity(partition, row, condition(tag))),
    list: (table, filter, select) => sent(collect(of(table).listEntities(asked(filter, select)), decode)),
    async first(table) {
      for await (const item of of(table).listEntities(asked())) return decode(item);
    },
    async page(table, { size, token, filter } = {}) {
      const settings = { ...(size && { maxPageSize: size }), ...(token && { continuationToken: token }) };
      const { value } = await sent(of(table).listEntities(asked(filter)).byPage(settings).next());
      return { rows: value.map(decode), token: value.continuationToken };
    },
    async transaction(table, operations) {
      const actions = operations.map(([kind, one, tag]) => {
        if (kind === 'insert') return ['create', encode(one)];
        if (kind === 'delete') return ['delete', encode(one)];
        const [how, upsert] = [kind.replace('upsert-', ''), kind.startsWith('upsert-')];
        return [upsert ? 'upsert' : 'update', encode(one), mode[how], condition(tag)];
      });
      const { subResponses } = await sent(of(table).submitTransaction(actions));
      return subResponses.map(({ etag }) => etag);
    },
    async policies(table) {
      const found = await sent(of(table).getAccessPolicy());
      return found.map(({ id, accessPolicy: { permission, start, expiry } = {} }) => [id, [permission, start, expiry]]);
    },
    setPolicies: (table, policies) =>
      sent(
        of(table).setAccessPolicy(
          policies.map(([id, [permission, start, expiry]]) => ({ id, accessPolicy: { permission, start, expiry } })),
        ),
      ),
    setProperties({ days, origins = [] }) {
      const retentionPolicy = { enabled: days !== undefined, ...(days && { days }) };
      return sent(
        service.setProperties({
          logging: { version: '1.0', read: true, write: true, delete: false, retentionPolicy },
          hourMetrics: { version: '1.0', enabled: true, includeAPIs: true, retentionPolicy },
          cors: origins.map((allowedOrigins) => ({
            allowedOrigins,
            allowedMethods: 'GET',
            allowedHeaders: '',
            exposedHeaders: '',
            maxAgeInSeconds: 60,
          })),
        }),
      );
    },
    async properties() {
      const { logging, hourMetrics, cors } = await sent(service.getProperties());
      return {
        covers: [logging.read, logging.write, logging.delete],
        days: logging.retentionPolicy.days,
        metrics: hourMetrics.enabled,
        origins: cors.map(({ allowedOrigins }) => allowedOrigins),
      };
    },
    statistics: async () => (await sent(service.getStatistics())).geoReplication.status,
  };
}
