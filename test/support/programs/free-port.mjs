import { createServer } from 'node:net';

/** The ports that were asked for. A server may not listen yet on the one that it got. */
const asked = new Set();

/**
 * Returns a port on which no server listens, each time another one. It is below those that the system gives to connections and to
 * servers on any free port, so that no other program gets it in between.
 */
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (asked.has(port)) continue;
    asked.add(port);
    if (await isFree(port)) return port;
  }
}

/** Whether a server can listen on a port. */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
