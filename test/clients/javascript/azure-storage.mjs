// azure-storage, the package before @azure/data-tables.
import { readFileSync } from 'node:fs';
import { globalAgent } from 'node:https';
import azure from 'azure-storage';
import { Cannot, environment as env, Rejected } from './model.mjs';

const { version } = JSON.parse(readFileSync('node_modules/azure-storage/package.json', 'utf8'));
const { entityGenerator: make } = azure.TableUtilities;

export const azureStorage = {
  name: 'JavaScript azure-storage',
  version,
  prefix: 'storage',
  hasTicks: false,

  open({ endpoint = env.TABLES_ENDPOINT, connectionString, key = env.TABLES_KEY, sas, token, trusted = true }) {
    if (token) throw new Cannot('the client has no bearer tokens');
    const secondary = endpoint === env.TABLES_SECONDARY_ENDPOINT;
    const host = {
      primaryHost: secondary ? env.TABLES_ENDPOINT : endpoint,
      secondaryHost: endpoint === env.TABLES_HOST_ENDPOINT ? undefined : env.TABLES_SECONDARY_ENDPOINT,
    };
    const made = connectionString
      ? azure.createTableService(connectionString)
      : sas
        ? azure.createTableServiceWithSas(host, sas)
        : azure.createTableService(env.TABLES_ACCOUNT, key, host);
    // The library reads trusted certificates from Node's global agent only.
    globalAgent.options.ca = trusted ? readFileSync(env.TABLES_CERTIFICATE, 'utf8') : undefined;
    made.enableGlobalHttpAgent = true;
    return client(made.withFilter(new azure.LinearRetryPolicyFilter(0, 0)), secondary);
  },

  openStatistics() {
    return this.open({ endpoint: env.TABLES_SECONDARY_ENDPOINT });
  },

  sign({ table, permissions = 'raud', types = 'sco', start, expiry, address, httpsOnly, keys, policy }) {
    const [StartPk, StartRk, EndPk, EndRk] = keys ?? [];
    const AccessPolicy = {
      Permissions: permissions,
      ...(start && { Start: start }),
      ...(expiry && { Expiry: expiry }),
      ...(address && { IPAddressOrRange: address }),
      ...(httpsOnly && { Protocols: 'https' }),
      ...(keys && { StartPk, StartRk, EndPk, EndRk }),
    };
    if (!table) {
      const account = { AccessPolicy: { ...AccessPolicy, Services: 't', ResourceTypes: types } };
      return azure.generateAccountSharedAccessSignature(env.TABLES_ACCOUNT, env.TABLES_KEY, account);
    }
    const keyed = azure.createTableService(env.TABLES_ACCOUNT, env.TABLES_KEY, env.TABLES_ENDPOINT);
    return keyed.generateSharedAccessSignature(table, policy ? { Id: policy, AccessPolicy: {} } : { AccessPolicy });
  },
};

function encode({ partition, row, properties }) {
  const makers = {
    String: make.String,
    Boolean: (text) => make.Boolean(text === 'true'),
    Int32: (text) => make.Int32(Number(text)),
    Int64: make.Int64,
    Double: (text) => make.Double(Number(text)),
    DateTime(text) {
      if (/\.\d{4}/.test(text)) throw new Cannot('the client has instants of whole milliseconds');
      return make.DateTime(new Date(text));
    },
    Guid: make.Guid,
    Binary: (text) => make.Binary(Buffer.from(text, 'base64')),
  };
  const values = Object.entries(properties).map(([name, [kind, text]]) => [name, makers[kind](text)]);
  return { PartitionKey: make.String(partition), RowKey: make.String(row), ...Object.fromEntries(values) };
}

function decode({ PartitionKey, RowKey, Timestamp, '.metadata': metadata, ...rest }) {
  const properties = Object.entries(rest)
    .filter(([, { _: value }]) => value !== undefined && value !== null)
    .map(([name, { _: value, $: annotated }]) => [name, pairOf(value, annotated?.replace('Edm.', ''))]);
  return {
    partition: PartitionKey?._,
    row: RowKey?._,
    tag: metadata?.etag,
    timestamp: Timestamp?._,
    properties: Object.fromEntries(properties),
  };
}

function pairOf(value, annotated) {
  if (value instanceof Date) return ['DateTime', value.toISOString()];
  if (Buffer.isBuffer(value)) return ['Binary', value.toString('base64')];
  if (typeof value === 'boolean') return ['Boolean', String(value)];
  if (typeof value === 'number')
    return [annotated ?? (Number.isInteger(value) && Math.abs(value) <= 2 ** 31 ? 'Int32' : 'Double'), String(value)];
  return [annotated ?? 'String', value];
}

/** Calls the library and waits for its callback. */
function ask(begin) {
  return new Promise((resolve, reject) => {
    try {
      begin((error, result, response) => (error ? reject(asRejection(error)) : resolve(result ?? response)));
    } catch (error) {
      reject(error instanceof Cannot ? error : new Cannot(`the client rejects it: ${error.message}`));
    }
  });
}

function asRejection(error) {
  return error.statusCode ? new Rejected(error.statusCode, error.code, error.message) : error;
}

/** Moves the texts of a filter into parameters: the library replaces operators such as `!` also inside of texts. */
function conditionOf(filter) {
  const texts = [];
  const condition = filter.replace(/(?<!\w)'((?:[^']|'')*)'/g, (_, text) => {
    texts.push(text.replaceAll("''", "'"));
    return '?string?';
  });
  return [condition, ...texts];
}

function client(service, secondary) {
  const { PRIMARY_ONLY, SECONDARY_ONLY } = azure.StorageUtilities.LocationMode;
  const location = { locationMode: secondary ? SECONDARY_ONLY : PRIMARY_ONLY };
  const insertOnPrimary = (table, one, done) => {
    if (secondary) throw new Cannot('the client sends writes to the primary endpoint');
    service.insertEntity(table, encode(one), done);
  };
  const asked = ({ filter, select, size }) => {
    let query = new azure.TableQuery();
    if (select) query = query.select(...select);
    if (filter) query = query.where(...conditionOf(filter));
    return size ? query.top(size) : query;
  };
  const page = async (table, options) => {
    const found = await ask((done) =>
      service.queryEntities(table, asked(options), options.token ?? null, location, done),
    );
    return { rows: found.entries.map(decode), token: found.continuationToken ?? undefined };
  };
  const list = async (table, filter, select) => {
    const rows = [];
    let token;
    do {
      const next = await page(table, { filter, select, token });
      rows.push(...next.rows);
      token = next.token;
    } while (token);
    return rows;
  };
  const names = { insert: 'insertEntity', merge: 'mergeEntity', replace: 'replaceEntity', delete: 'deleteEntity' };
  const upserts = { merge: 'insertOrMergeEntity', replace: 'insertOrReplaceEntity' };
  const tagged = (one, tag) => ({ ...encode(one), ...(tag && { '.metadata': { etag: tag } }) });
  const tagOf = (result) => result['.metadata'].etag;
  return {
    createTable: (table) => ask((done) => service.createTable(table, done)),
    deleteTable: (table) => ask((done) => service.deleteTable(table, done)),
    async tablePages(filter, size) {
      if (filter || size) throw new Cannot('the client lists tables by prefix, without a filter');
      return [(await ask((done) => service.listTablesSegmented(null, done))).entries];
    },
    insert: async (table, one) => tagOf(await ask((done) => insertOnPrimary(table, one, done))),
    async get(table, partition, row, select) {
      if (select) throw new Cannot('the client selects properties only in queries');
      // The library reads single entities from the primary endpoint only.
      if (secondary) return (await list(table, `PartitionKey eq '${partition}' and RowKey eq '${row}'`))[0];
      return decode(await ask((done) => service.retrieveEntity(table, partition, row, done)));
    },
    update: async (table, one, how, tag) =>
      tagOf(await ask((done) => service[names[how]](table, tagged(one, tag), done))),
    upsert: async (table, one, how) => tagOf(await ask((done) => service[upserts[how]](table, encode(one), done))),
    delete: (table, partition, row, tag) =>
      ask((done) => service.deleteEntity(table, tagged({ partition, row, properties: {} }, tag), done)),
    list,
    first: async (table) => (await page(table, {})).rows[0],
    page: (table, options = {}) => page(table, options),
    async transaction(table, operations) {
      const batch = new azure.TableBatch();
      const results = await ask((done) => {
        for (const [kind, one, tag] of operations) {
          if (kind === 'insert') batch.insertEntity(encode(one), {});
          else if (kind.startsWith('upsert-')) batch[upserts[kind.slice(7)]](encode(one));
          else batch[names[kind]](tagged(one, tag));
        }
        service.executeBatch(table, batch, done);
      });
      return results.map(({ entity }) => entity?.['.metadata']?.etag);
    },
    async policies(table) {
      const { signedIdentifiers } = await ask((done) => service.getTableAcl(table, done));
      return Object.entries(signedIdentifiers ?? {}).map(([id, { Permissions, Start, Expiry }]) => [
        id,
        [Permissions, Start, Expiry],
      ]);
    },
    setPolicies(table, policies) {
      const made = policies.map(([id, [Permissions, Start, Expiry]]) => [id, { Permissions, Start, Expiry }]);
      return ask((done) => service.setTableAcl(table, Object.fromEntries(made), done));
    },
    setProperties({ days, origins = [] }) {
      const RetentionPolicy = { Enabled: days !== undefined, ...(days && { Days: days }) };
      const rule = (origin) => ({
        AllowedOrigins: [origin],
        AllowedMethods: ['GET'],
        AllowedHeaders: [],
        ExposedHeaders: [],
        MaxAgeInSeconds: 60,
      });
      const properties = {
        Logging: { Version: '1.0', Read: true, Write: true, Delete: false, RetentionPolicy },
        HourMetrics: { Version: '1.0', Enabled: true, IncludeAPIs: true, RetentionPolicy },
        Cors: { CorsRule: origins.map(rule) },
      };
      return ask((done) => service.setServiceProperties(properties, done));
    },
    async properties() {
      const { Logging, HourMetrics, Cors } = await ask((done) => service.getServiceProperties(done));
      return {
        covers: [Logging.Read, Logging.Write, Logging.Delete],
        days: Logging.RetentionPolicy.Days,
        metrics: HourMetrics.Enabled,
        origins: Cors.CorsRule.map(({ AllowedOrigins }) => AllowedOrigins.join()),
      };
    },
    async statistics() {
      const options = { locationMode: azure.StorageUtilities.LocationMode.SECONDARY_ONLY };
      return (await ask((done) => service.getServiceStats(options, done))).GeoReplication.Status;
    },
  };
}
