import { ConfigError, shownValue } from '../config.js';
import { portOf } from '../protocol/access/connection-string.js';
import type { Config } from '../settings/config.js';
import { type Endpoint, endpointOf } from './connection-strings.js';

/** The flag that names the server for a command. */
export const urlFlag = '--url';

/** The environment variable for the same. `tabularium exec` and the Vitest setup set it. */
export const urlVariable = 'TABULARIUM_URL';

/** Returns the server for a command: the named one, or else the one in its settings. Errors: ConfigError. */
export function targetEndpoint({ server, ...config }: Config & { readonly server: Endpoint | undefined }): Endpoint {
  return server ?? endpointOf(config);
}

/** Parses a URL without a path, `host:port` or a port. `source` is its flag or variable. Errors: ConfigError. */
export function readServerUrl(text: string, source: string): Endpoint {
  const url = urlOf(text);
  if (!url) {
    const hint = 'Use the URL of a server without a path, host:port or a port, as http://127.0.0.1:10002.';
    throw new ConfigError(`${source} cannot be '${shownValue(text)}'. ${hint}`);
  }
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  return { scheme, host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: portOf(url.href) };
}

function urlOf(text: string): URL | undefined {
  const named = /^\d+$/.test(text) ? `127.0.0.1:${text}` : text;
  const hasScheme = /^https?:\/\//i.test(named);
  const whole = hasScheme ? named : `http://${named}`;
  // Only a URL may omit its port. `URL` would strip white space.
  if ((!hasScheme && !/:\d+$/.test(named)) || /\s/.test(named) || !URL.canParse(whole)) return undefined;
  const url = new URL(whole);
  const { port, pathname, search, hash, username, password } = url;
  return port !== '0' && pathname === '/' && search + hash + username + password === '' ? url : undefined;
}
