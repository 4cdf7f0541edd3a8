import { createHmac, createSecretKey } from 'node:crypto';
import net from 'node:net';

const account = 'devstoreaccount1';
const key = createSecretKey(
  Buffer.from('Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==', 'base64'),
);

/**
 * A keep-alive connection with one request in progress. It is as cheap as possible, because the benchmark must measure
 * the server and not its client. Every request is signed with Shared Key Lite.
 */
export class Connection {
  #socket;
  #waiting;
  #answer;

  constructor(port) {
    this.port = port;
    this.#socket = net.connect(port, '127.0.0.1');
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#waiting?.reject(error));
    this.#socket.on('close', () => this.#waiting?.reject(new Error('the server closed the connection')));
  }

  /** Sends a request. Resolves to `{ status, head, body }`; the body is a list of buffers. */
  send(method, path, { body = '', contentType = 'application/json', headers = '' } = {}) {
    const date = new Date().toUTCString();
    const target = `/${account}${path}`;
    const queryAt = target.indexOf('?');
    const resource = `/${account}${queryAt < 0 ? target : target.slice(0, queryAt)}`;
    const signature = createHmac('sha256', key).update(`${date}\n${resource}`).digest('base64');
    const length = Buffer.byteLength(body);
    const type = length > 0 ? `Content-Type: ${contentType}\r\nContent-Length: ${length}\r\n` : '';
    // As the clients of Node.js and Go, which name no length with GET and DELETE.
    const none = length === 0 && method !== 'GET' && method !== 'DELETE' ? 'Content-Length: 0\r\n' : '';
    const text =
      `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${this.port}\r\nx-ms-date: ${date}\r\n` +
      `x-ms-version: 2019-02-02\r\nAccept: application/json;odata=minimalmetadata\r\n` +
      `Authorization: SharedKeyLite ${account}:${signature}\r\n${headers}${type}${none}\r\n${body}`;
    this.#answer = { status: 0, head: '', body: [], bytes: 0, pending: [], left: -1, chunked: false };
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(text);
    });
  }

  close() {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(chunk) {
    const answer = this.#answer;
    let data = chunk;
    if (answer.status === 0) {
      answer.pending.push(chunk);
      data = answer.pending.length === 1 ? chunk : Buffer.concat(answer.pending);
      const end = data.indexOf('\r\n\r\n');
      if (end < 0) return;
      answer.head = data.latin1Slice(0, end + 2);
      answer.status = Number(answer.head.slice(9, 12));
      answer.chunked = /transfer-encoding: chunked/i.test(answer.head);
      answer.left = answer.chunked ? 0 : Number(/content-length: (\d+)/i.exec(answer.head)?.[1] ?? 0);
      answer.pending = [];
      data = data.subarray(end + 4);
      if (!answer.chunked && answer.left === 0) {
        this.#done();
        return;
      }
    }
    if (answer.chunked) this.#takeChunked(data);
    else {
      answer.body.push(data);
      answer.left -= data.length;
      if (answer.left <= 0) this.#done();
    }
  }

  #takeChunked(received) {
    const answer = this.#answer;
    let data = received;
    if (answer.pending.length > 0) {
      data = Buffer.concat([...answer.pending, data]);
      answer.pending = [];
    }
    while (data.length > 0) {
      if (answer.left > 0) {
        const part = data.subarray(0, answer.left);
        if (part.length > 2 || answer.left > 2) answer.body.push(part);
        answer.left -= part.length;
        data = data.subarray(part.length);
        continue;
      }
      const line = data.indexOf('\r\n');
      if (line < 0) {
        answer.pending.push(data);
        return;
      }
      const size = Number.parseInt(data.latin1Slice(0, line), 16);
      if (size === 0) {
        if (data.length < line + 4) answer.pending.push(data);
        else this.#done();
        return;
      }
      // The line end after a chunk counts as part of it. `readJson` removes it.
      answer.left = size + 2;
      data = data.subarray(line + 2);
    }
  }

  #done() {
    const { resolve } = this.#waiting;
    this.#waiting = undefined;
    resolve(this.#answer);
  }
}

/** Returns the parsed JSON of an answer. */
export function readJson(answer) {
  const text = Buffer.concat(answer.body).toString();
  // Chunks still end with their line ends, which may be within a token.
  return JSON.parse(text.replaceAll('\r\n', ''));
}

/** Returns the value of a header of an answer. */
export function headerOf(answer, name) {
  return new RegExp(`^${name}: (.*)\r$`, 'im').exec(answer.head)?.[1];
}
