#!/usr/bin/env node
// Answers the health checks of Compose files that were written for Azurite's image: nc -z [-v] [-w seconds] host port.
// Exits with 0 if the port accepts a connection, with 1 if it does not, and with 2 if it cannot do what is asked.
import { connect } from 'node:net';
import { parseArgs } from 'node:util';

/** Time limit for a connection unless `-w` sets one. (Our choice: less than a health check waits.) Unit: seconds. */
const defaultLimit = 5;

const { values, positionals } = readWords();
const [host = '', port = ''] = positionals;
const limit = Number(values.w ?? defaultLimit);
if (!values.z || positionals.length !== 2 || !/^\d{1,5}$/.test(port) || Number(port) > 65_535 || !(limit > 0)) {
  fail(2, 'this nc only checks a port: nc -z [-v] [-w seconds] host port');
}
const socket = connect({ host, port: Number(port), timeout: limit * 1000 });
socket.once('connect', () => {
  if (values.v) process.stderr.write(`${host} ${port} open\n`);
  process.exit(0);
});
socket.once('timeout', () => fail(1, `${host} ${port}: timed out`));
socket.once('error', ({ message }) => fail(1, `${host} ${port}: ${message}`));

function readWords() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        z: { type: 'boolean', short: 'z' },
        v: { type: 'boolean', short: 'v' },
        w: { type: 'string', short: 'w' },
      },
    });
  } catch (error) {
    return fail(2, error instanceof Error ? error.message : String(error));
  }
}

/**
 * @param {number} code
 * @param {string} message
 * @returns {never}
 */
function fail(code, message) {
  process.stderr.write(`nc: ${message}\n`);
  process.exit(code);
}
