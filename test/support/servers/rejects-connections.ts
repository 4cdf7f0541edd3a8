import { once } from 'node:events';
import { connect } from 'node:net';

/** Resolves when the server no longer accepts connections. */
export async function rejectsConnections(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const socket = connect(Number(port), hostname);
    const accepted = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (!accepted) return;
  }
}
