/** Scheme and host of an absolute URL. */
const origin = /^https?:\/\/([^/?]*)/i;

/** Returns path and query of a request target. A client of a proxy sends an absolute URL; others send only the path. */
export function targetOf(url: string): string {
  return url.startsWith('/') ? url : url.replace(origin, '');
}

/** Returns the host of an absolute URL, including its port, or undefined if the target is only a path. */
export function hostOf(url: string): string | undefined {
  return origin.exec(url)?.[1];
}

/**
 * Returns the host that a request names, including its port and without a user: that of its target if this is an absolute
 * URL, otherwise its `Host`. Source: RFC 9112, section 3.2.2.
 */
export function namedHost(url: string, host: string | undefined): string | undefined {
  const authority = hostOf(url) ?? '';
  return authority.slice(authority.lastIndexOf('@') + 1) || host;
}
