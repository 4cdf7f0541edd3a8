import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { developmentAccount } from '../../../src/protocol/access/accounts.js';
import { authorizationOf } from '../signatures/sign-request.js';

/** An insert whose body the server waits for. */
export interface BegunInsert {
  /** Sends the body and returns the status of the answer. */
  finish(): Promise<number | undefined>;
  /** Resolves when its connection is closed, which this client never does. */
  readonly closed: Promise<unknown>;
}

/** Sends the headers of an insert into a table of the development account, and waits until the server has read them. */
export async function beginInsert(url: string, table: string, body: string): Promise<BegunInsert> {
  const target = `/${developmentAccount.name}/${table}`;
  const date = new Date().toUTCString();
  const signed = { method: 'POST', target, date, contentType: 'application/json' };
  const [key = ''] = developmentAccount.keys;
  const outgoing = request(`${url}${target}`, {
    agent: new Agent({ keepAlive: true }),
    method: 'POST',
    headers: {
      Authorization: authorizationOf(signed, { scheme: 'SharedKey', account: developmentAccount.name, key }),
      'x-ms-date': date,
      'x-ms-version': '2019-02-02',
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      Expect: '100-continue',
    },
  });
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  // A stop may end the connection without an answer.
  answered.catch(() => {});
  const connected = once(outgoing, 'socket');
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  const [socket] = await connected;
  return {
    closed: once(socket, 'close'),
    async finish() {
      outgoing.end(body);
      const [response] = await answered;
      response.resume();
      await once(response, 'end');
      return response.statusCode;
    },
  };
}
