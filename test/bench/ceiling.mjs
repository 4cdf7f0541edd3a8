// The least work that an honest server of this design does: one Fastify route that checks the signature, parses the
// body, looks whether the row exists, writes in groups, and stores the text that it sends. It checks nothing else.
// `npm run bench` measures it beside Tabularium; the share is how close Tabularium comes to it.
//
//   node test/bench/ceiling.mjs --tablePort 10002 --location folder | --inMemoryPersistence
import { createHmac, createSecretKey, randomUUID, timingSafeEqual } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fastify } from 'fastify';
import { Level } from 'level';
import { MemoryLevel } from 'memory-level';
import { readParts } from './ceiling/ceiling-batch.mjs';
import { GroupWriter } from './ceiling/ceiling-writes.mjs';

const { values: options } = parseArgs({
  options: {
    tablePort: { type: 'string' },
    location: { type: 'string' },
    inMemoryPersistence: { type: 'boolean', default: false },
    silent: { type: 'boolean' },
  },
});

const account = 'devstoreaccount1';
const key = createSecretKey(
  Buffer.from('Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==', 'base64'),
);
const db = options.inMemoryPersistence ? new MemoryLevel() : new Level(options.location);
await db.open();
const writer = new GroupWriter(db);
const tables = new Set();
const entityPath = /^([A-Za-z0-9]+)\(PartitionKey='([^']*)',RowKey='([^']*)'\)$/;

const app = fastify({ logger: false, bodyLimit: 8 << 20 });
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
app.addHttpMethod('MERGE', { hasBody: true });
app.route({ method: ['GET', 'POST', 'PUT', 'DELETE', 'MERGE'], url: '*', handler });
await app.listen({ port: Number(options.tablePort), host: '127.0.0.1' });
console.log('The ceiling listens with success.');
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    app.server.closeAllConnections();
    await app.close();
    await writer.idle();
    await db.close();
  });
}

async function handler(request, reply) {
  const { method, url, body } = request;
  const queryAt = url.indexOf('?');
  const path = queryAt < 0 ? url : url.slice(0, queryAt);
  const { headers } = request.raw;
  if (!isSigned(headers.authorization, headers['x-ms-date'], path)) return send(reply, 403);
  const resource = path.slice(account.length + 2);
  if (resource === '$batch') return answerBatch(reply, body, headers['content-type']);
  if (resource === 'Tables') {
    if (method === 'POST') tables.add(JSON.parse(body).TableName);
    return send(reply, method === 'POST' ? 201 : 200, undefined, '{"value":[]}');
  }
  if (method === 'GET') return get(reply, resource);
  const change = decide(method, resource, body);
  if (change.status >= 400) return send(reply, change.status);
  await writer.add([change]);
  if (method === 'POST') reply.header('Location', `http://${headers.host}${path}`);
  return send(reply, 204, change.etag);
}

function isSigned(authorization, date, path) {
  const signature = createHmac('sha256', key).update(`${date}\n/${account}${path}`).digest();
  const sent = Buffer.from(authorization.slice(authorization.indexOf(':') + 1), 'base64');
  return sent.length === signature.length && timingSafeEqual(sent, signature);
}

function get(reply, resource) {
  const [, table, partitionKey, rowKey] = entityPath.exec(resource) ?? [];
  const text = writer.read(`${table}\u0000${partitionKey}\u0000${rowKey}`);
  if (text === undefined) return send(reply, 404);
  const head = `{"odata.metadata":"http://127.0.0.1/${account}/$metadata#${table}/@Element",`;
  return send(reply, 200, etagOf(text), head + text.slice(1));
}

/** Decides what a write leaves: its key, its text (null after a delete) and its ETag, or the status of a rejection. */
function decide(method, resource, body) {
  if (method === 'POST') {
    const { PartitionKey, RowKey, ...properties } = JSON.parse(body);
    const stored = `${resource}\u0000${PartitionKey}\u0000${RowKey}`;
    if (!tables.has(resource)) return { status: 404 };
    if (writer.read(stored) !== undefined) return { status: 409 };
    return writeEntity(stored, PartitionKey, RowKey, properties);
  }
  const [, table, partitionKey, rowKey] = entityPath.exec(resource) ?? [];
  if (!tables.has(table)) return { status: 404 };
  const stored = `${table}\u0000${partitionKey}\u0000${rowKey}`;
  const existing = writer.read(stored);
  if (method === 'DELETE') return existing === undefined ? { status: 404 } : { status: 204, key: stored, value: null };
  let properties = JSON.parse(body);
  if (method === 'MERGE' && existing !== undefined) properties = { ...JSON.parse(existing), ...properties };
  return writeEntity(stored, partitionKey, rowKey, properties);
}

function writeEntity(stored, PartitionKey, RowKey, properties) {
  const Timestamp = new Date().toISOString();
  const etag = `W/"datetime'${Timestamp}'"`;
  const value = JSON.stringify({ ...properties, 'odata.etag': etag, PartitionKey, RowKey, Timestamp });
  return { status: 204, key: stored, value, etag };
}

function etagOf(text) {
  const at = text.indexOf('"odata.etag":"') + 14;
  return text.slice(at, text.indexOf('",', at)).replaceAll('\\', '');
}

/** Answers a transaction: all operations or none, in one group. */
async function answerBatch(reply, body, contentType) {
  const changes = [];
  for (const { method, path, json } of readParts(body, contentType)) {
    const change = decide(method, path.slice(path.indexOf(account) + account.length + 1), json);
    if (change.status >= 400) return send(reply, change.status);
    changes.push(change);
  }
  await writer.add(changes);
  const boundary = `changesetresponse_${randomUUID()}`;
  let parts = '';
  for (const { etag } of changes) {
    parts += `--${boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\nHTTP/1.1 204 No Content\r\nDataServiceVersion: 3.0;\r\n${etag === undefined ? '' : `ETag: ${etag}\r\n`}\r\n\r\n`;
  }
  const outer = `batchresponse_${randomUUID()}`;
  reply.header('Content-Type', `multipart/mixed; boundary=${outer}`);
  const text = `--${outer}\r\nContent-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${parts}--${boundary}--\r\n--${outer}--\r\n`;
  return send(reply, 202, undefined, text);
}

function send(reply, status, etag, body) {
  reply.code(status);
  reply.header('x-ms-request-id', randomUUID());
  reply.header('x-ms-version', '2019-02-02');
  if (etag !== undefined) reply.header('ETag', etag);
  if (body !== undefined && status !== 202) reply.header('Content-Type', 'application/json;odata=minimalmetadata');
  return reply.send(body);
}
