import { createServer } from 'node:net';

/**
 * Returns a port on which no server listens. It is below those that the system gives to connections and to servers on any free
 * port, so that no other program gets it meanwhile.
 */
export async function freePort() {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
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
