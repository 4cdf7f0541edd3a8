import { createHmac } from 'node:crypto';
import http from 'node:http';
import { connect } from 'node:net';

/**
 * What a tool waits for.
 *
 * @typedef {object} Condition
 * @property {string} service the service that it is about: blob, queue or table
 * @property {string} name
 * @property {(output: string) => boolean | Promise<boolean>} holds `output` is the program's standard output so far
 */

const account = 'devstoreaccount1';
/** The public key of the development account. */
export const key = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';
export const portOf = { blob: 10_000, queue: 10_001, table: 10_002 };
const version = '2021-12-02';

/** Standard output contains a text, as libraries for tests look for it. */
export function line(service, text) {
  return { service, name: `the line "${text}"`, holds: (output) => output.includes(text) };
}

/** The port of a service accepts connections, as `nc -z` checks it. */
export function ready(service) {
  return { service, name: `port ${portOf[service]}`, holds: () => accepts(portOf[service]) };
}

export function ports(services) {
  return services.map(ready);
}

/** An unsigned request gets an answer of a storage service, be it a rejection. Core Tools recognizes it by headers or body. */
export function shape(service) {
  const path = service === 'table' ? `/${account}/Tables` : `/${account}?comp=list`;
  return {
    service,
    name: `an answer of the ${service} service`,
    async holds() {
      const answer = await get(portOf[service], path, { 'x-ms-version': version });
      return (
        answer !== undefined &&
        ('x-ms-request-id' in answer.headers ||
          'x-ms-error-code' in answer.headers ||
          /<Error>.*<Code>|^\s*\{\s*"error"/s.test(answer.body))
      );
    },
  };
}

/** A signed Get Service Properties succeeds, which the SDKs' clients call. */
export function properties(service) {
  return {
    service,
    name: `properties of the ${service} service`,
    async holds() {
      const answer = await get(portOf[service], `/${account}/?restype=service&comp=properties`, signed(service));
      return answer?.status === 200;
    },
  };
}

/** Returns whether a port accepts a connection. */
export function accepts(port, host = '127.0.0.1') {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function signed(service) {
  const date = new Date().toUTCString();
  const resource = `/${account}/${account}/`;
  const [scheme, text] =
    service === 'table'
      ? ['SharedKeyLite', `${date}\n${resource}?comp=properties`]
      : [
          'SharedKey',
          `GET${'\n'.repeat(12)}x-ms-date:${date}\nx-ms-version:${version}\n${resource}\ncomp:properties\nrestype:service`,
        ];
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
  return { 'x-ms-date': date, 'x-ms-version': version, authorization: `${scheme} ${account}:${signature}` };
}

/** Returns the answer to a GET; undefined if there is none. */
function get(port, path, headers) {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path, headers, timeout: 2000, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined));
  });
}
