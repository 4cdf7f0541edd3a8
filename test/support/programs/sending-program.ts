/** A request of a program: method, path, JSON body and further headers. */
export type SentRequest = readonly [
  method: string,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
];

/**
 * Returns a Node.js script that sends requests to the server of its environment, one after the other and signed, and exits with
 * a code. It begins with a mark if there is one.
 */
export const sendingProgram = (requests: readonly SentRequest[], code = 0, mark?: string) => `
  (async () => {
    const { createHmac } = require('node:crypto');
    const endpoint = process.env.TABULARIUM_ENDPOINT;
    const [, name] = /AccountName=([^;]+)/.exec(process.env.TABULARIUM_CONNECTION_STRING);
    const [, key] = /AccountKey=([^;]+)/.exec(process.env.TABULARIUM_CONNECTION_STRING);
    const headers = { 'Content-Type': 'application/json' };
    const mark = ${JSON.stringify(mark)};
    const root = new URL('/_tabularium/marks', endpoint);
    if (mark) await fetch(root, { method: 'POST', headers, body: JSON.stringify({ name: mark }) });
    process.exitCode = ${code};
    for (const [method, path, body, more] of ${JSON.stringify(requests)}) {
      const date = new Date().toUTCString();
      const { pathname } = new URL(endpoint + path);
      const text = date + '\\n/' + name + pathname;
      const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
      const answer = await fetch(endpoint + path, {
        method, body: body && JSON.stringify(body),
        headers: { ...headers, Accept: 'application/json', 'x-ms-date': date, Authorization: 'SharedKeyLite ' + name + ':' + signature, ...more },
      });
      await answer.text();
    }
  })()`;
