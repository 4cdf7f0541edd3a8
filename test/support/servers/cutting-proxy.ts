import { connect, createServer, type Server, type Socket } from 'node:net';

/** How often a proxy cuts a connection. Chances per chunk of bytes. */
export interface CutChances {
  /** When a client sends. Half of these cuts let the bytes through first. */
  readonly request: number;
  /** When the server answers. The answer is lost. */
  readonly answer: number;
}

/** Bytes that a client sends before its connection may be cut: what it needs to log in. */
const loginBytes = 1500;

/** A proxy on the loopback address that cuts connections at random, and can be pointed at another server. */
export class CuttingProxy {
  /** The port that new connections lead to. */
  target: number;
  cuts = 0;
  readonly #server: Server;
  readonly #chances: CutChances;
  readonly #random: () => number;
  readonly #open = new Set<() => void>();
  readonly #clients = new Set<Socket>();
  #mode: 'passes' | 'rejects' | 'swallows' | 'loses' = 'passes';

  private constructor(target: number, chances: CutChances, random: () => number) {
    this.target = target;
    this.#chances = chances;
    this.#random = random;
    this.#server = createServer((client) => this.#pass(client));
  }

  /** Starts a proxy to a port of this machine. */
  static async start(target: number, chances: CutChances, random: () => number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target, chances, random);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  /** Cuts all connections. */
  cutAll(): void {
    for (const cut of [...this.#open]) cut();
  }

  /** Sends bytes to all clients, as if their server had sent them. */
  tell(bytes: Buffer): void {
    for (const client of this.#clients) client.write(bytes);
  }

  /** Cuts all connections, and every new one at once, until `goOn`. */
  reject(): void {
    this.#mode = 'rejects';
    this.cutAll();
  }

  /** Passes requests on and loses all answers, and those of new connections, until `goOn`. */
  swallowAnswers(): void {
    this.#mode = 'swallows';
  }

  /** Passes requests on, and cuts a connection when its answer comes, until `goOn`. */
  loseAnswers(): void {
    this.#mode = 'loses';
  }

  /** Passes everything again. Connections whose answers were lost are cut. */
  goOn(): void {
    if (this.#mode === 'swallows') this.cutAll();
    this.#mode = 'passes';
  }

  /** Cuts all connections and takes no more. */
  async stop(): Promise<void> {
    this.cutAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(client: Socket): void {
    if (this.#mode === 'rejects') {
      client.destroy();
      return;
    }
    const server = connect(this.target, '127.0.0.1');
    const cut = () => {
      client.destroy();
      server.destroy();
      this.#open.delete(cut);
      this.#clients.delete(client);
    };
    this.#open.add(cut);
    this.#clients.add(client);
    for (const socket of [client, server]) socket.on('error', cut).on('close', cut);
    let sent = 0;
    const isCut = (chance: number) => sent > loginBytes && this.#random() < chance;
    client.on('data', (bytes) => {
      sent += bytes.length;
      if (!isCut(this.#chances.request)) server.write(bytes);
      else {
        this.cuts++;
        if (this.#random() < 0.5) server.write(bytes, cut);
        else cut();
      }
    });
    server.on('data', (bytes) => {
      if (this.#mode === 'swallows') return;
      if (this.#mode === 'loses') cut();
      else if (!isCut(this.#chances.answer)) client.write(bytes);
      else {
        this.cuts++;
        cut();
      }
    });
  }
}
