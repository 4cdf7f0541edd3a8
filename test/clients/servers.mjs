// Starts the servers that the client suites run against: one over HTTP, one over HTTPS, on free ports.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const account = 'devstoreaccount1';
/** The key of the development account, which is public. Source: emulator 2. */
const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/**
 * Starts both servers.
 *
 * @returns the variables that every suite reads, `errors` for the server errors that were logged, and `stop`.
 */
export async function startServers() {
  const folder = await mkdtemp(join(tmpdir(), 'tabularium-clients-'));
  const plain = await startServer(join(folder, 'http'), ['--cosmosPort', '0']);
  const secure = await startServer(join(folder, 'https'), ['--https', '--oauth', 'basic']);
  const { port } = new URL(plain.url);
  const endpoint = `${plain.url}/${account}`;
  const variables = {
    TABLES_ACCOUNT: account,
    TABLES_KEY: key,
    TABLES_ENDPOINT: endpoint,
    TABLES_SECONDARY_ENDPOINT: `${endpoint}-secondary`,
    TABLES_SECONDARY_HOST: `${account}-secondary.table.localhost:${port}`,
    TABLES_HOST_ENDPOINT: `http://${account}.table.localhost:${port}`,
    TABLES_CONNECTION_STRING: `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${key};TableEndpoint=${endpoint};`,
    COSMOS_TABLE_CONNECTION_STRING: cosmosString(plain.cosmosUrl, 'localhost'),
    // The client for Go knows Cosmos DB by these digits, which may be anywhere in a URL.
    COSMOS_TABLE_CONNECTION_STRING_8902: cosmosString(plain.cosmosUrl, 'sdk8902'),
    TABLES_HTTPS_ENDPOINT: `${secure.url}/${account}`,
    TABLES_HTTPS_CONNECTION_STRING: `DefaultEndpointsProtocol=https;AccountName=${account};AccountKey=${key};TableEndpoint=${secure.url}/${account};`,
    TABLES_CERTIFICATE: join(folder, 'https', 'tabularium-certificate', 'certificate.pem'),
    TABLES_TOKEN: writeToken(3600),
    TABLES_EXPIRED_TOKEN: writeToken(-3600),
  };
  return {
    folder,
    variables,
    errors: async () => [...(await plain.errors()), ...(await secure.errors())],
    async stop() {
      await Promise.all([plain.stop(), secure.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Returns the connection string of an account of Cosmos DB. `localhost` is in the host, others are in the path. */
function cosmosString(url, name) {
  const endpoint = name === 'localhost' ? `${url}/` : `${url}/${name}`;
  return `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${key};TableEndpoint=${endpoint};`;
}

async function startServer(location, flags) {
  const log = `${location}.log`;
  const words = ['dist/main.js', '--tablePort', '0', '--silent', '--location', location, '--debug', log, ...flags];
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TABULARIUM_COSMOS_ACCOUNTS: `localhost:${key};sdk8902:${key}` },
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const [url, cosmosUrl] = await listening(child, flags.includes('--cosmosPort') ? 2 : 1);
  return {
    url,
    cosmosUrl,
    /** Returns the log lines of level error. */
    async errors() {
      const lines = (await readFile(log, 'utf8')).split('\n').filter((line) => line.startsWith('{'));
      return lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 'error' || level >= 50);
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Returns the URLs of a server, when it has printed all of them. */
async function listening(child, count) {
  const urls = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening at (\S+)/.exec(line)?.[1];
    if (url) urls.push(url);
    if (urls.length === count) return urls;
  }
  throw new Error('the server did not start: run npm run build first');
}

/** Returns a bearer token that is valid for this time. Its signature is invalid, but the server does not check it. */
function writeToken(seconds) {
  const now = Math.floor(Date.now() / 1000);
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = {
    aud: 'https://storage.azure.com',
    iss: 'https://sts.windows.net/ab1f708d-50f6-404c-a006-d71b2ac7a606/',
    iat: now - 7200,
    nbf: now - 7200,
    exp: now + seconds,
    oid: '23657296-5cd5-45b0-a809-d972a7f4dfe1',
    ver: '1.0',
  };
  return `${encode({ alg: 'RS256', typ: 'JWT' })}.${encode(claims)}.${encode('not signed')}`;
}
