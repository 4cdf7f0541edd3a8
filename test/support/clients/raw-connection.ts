import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import type { RunningService } from '../servers/start-service.js';
import { authorizationOf } from '../signatures/sign-request.js';

/** An answer as received. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection on which a test writes every byte itself. */
export class RawConnection {
  readonly #socket: Socket;
  #received = '';
  #ended = false;
  #wake = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').setNoDelay(true);
    socket.on('data', (text: string) => {
      this.#received += text;
      this.#wake();
    });
    for (const event of ['end', 'close', 'error']) {
      socket.on(event, () => {
        this.#ended = true;
        this.#wake();
      });
    }
  }

  /** Opens a connection. It takes any certificate. */
  static async open({ url }: RunningService): Promise<RawConnection> {
    const { hostname: host, port, protocol } = new URL(url);
    const isSecure = protocol === 'https:';
    const socket = isSecure
      ? connectSecurely({ host, port: Number(port), rejectUnauthorized: false })
      : connect(Number(port), host);
    await once(socket, isSecure ? 'secureConnect' : 'connect');
    return new RawConnection(socket);
  }

  /** Writes, and waits until the system has accepted the bytes. */
  write(text: string | Buffer): Promise<void> {
    return new Promise((resolve) => this.#socket.write(text, () => resolve()));
  }

  /** Reads the next answer. Returns undefined if the server closed the connection instead. An answer to HEAD has no body. */
  async answer(method = 'GET'): Promise<RawAnswer | undefined> {
    for (;;) {
      const read = readAnswer(this.#received, method === 'HEAD');
      if (read) {
        this.#received = this.#received.slice(read.length);
        return read.answer;
      }
      if (this.#ended) return undefined;
      await this.#more();
    }
  }

  /** Reads nothing until `resume`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Waits until the server has closed the connection. */
  async closed(): Promise<void> {
    while (!this.#ended) await this.#more();
    this.#socket.destroy();
  }

  /** Closes the connection immediately. */
  destroy(): void {
    this.#socket.destroy();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Returns the head of a signed request, including the blank line. */
export function signedHead(
  { account, url, base }: RunningService,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): string {
  const target = `${base.slice(url.length)}${path}`;
  const date = new Date().toUTCString();
  const contentType = headers['Content-Type'] ?? '';
  const signer = { scheme: 'SharedKey', account: account.name, key: account.keys[0] ?? '' } as const;
  const lines = Object.entries({
    Host: new URL(url).host,
    'x-ms-date': date,
    'x-ms-version': '2019-02-02',
    Accept: 'application/json',
    Authorization: authorizationOf({ method, target, date, contentType }, signer),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function readAnswer(text: string, isHead: boolean): { answer: RawAnswer; length: number } | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, headEnd).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const bodyAt = headEnd + 4;
  const isChunked = headers['transfer-encoding'] === 'chunked' && !isHead;
  const body = isChunked ? readChunks(text, bodyAt) : readLength(text, bodyAt, isHead ? {} : headers);
  if (!body) return undefined;
  return { answer: { status: Number(statusLine.split(' ')[1]), headers, body: body.text }, length: body.end };
}

function readLength(text: string, at: number, headers: Readonly<Record<string, string>>) {
  const end = at + Number(headers['content-length'] ?? 0);
  return text.length < end ? undefined : { text: text.slice(at, end), end };
}

function readChunks(text: string, from: number) {
  let body = '';
  for (let at = from; ; ) {
    const lineEnd = text.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(text.slice(at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (text.length < end) return undefined;
    if (size === 0) return { text: body, end };
    body += text.slice(lineEnd + 2, lineEnd + 2 + size);
    at = end;
  }
}
