/** Returns a port on which no server listens, and which no other program gets by asking for any free port. */
export function freePort(): Promise<number>;
