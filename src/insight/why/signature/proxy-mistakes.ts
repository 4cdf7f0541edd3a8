import type { SignedMaterial, SigningMistake } from './signed-text.js';

const portSigned = {
  cause: 'port-signed',
  text: 'The port was signed as part of the path.',
  advice: 'Sign a slash, the account and the path, without scheme, host or port.',
  isAlone: true,
} as const;

const proxyPrefix = {
  cause: 'proxy-prefix',
  text: 'The path was signed with a prefix that a proxy removed.',
  advice: 'Configure the proxy to preserve the path, or sign the path that reaches the server.',
  isAlone: true,
} as const;

/** Headers in which proxies tell the path before they changed it. They are those of Envoy, Traefik, nginx and IIS. */
const originalPaths = ['x-envoy-original-path', 'x-forwarded-uri', 'x-original-uri', 'x-original-url'] as const;

/** The mistakes with what is in front of the path: the port, and a prefix that only a proxy knows. */
export const proxyMistakes: readonly SigningMistake[] = [
  ...[':', '/'].map(
    (before): SigningMistake => ({
      ...portSigned,
      apply(right, { account, host, path }) {
        const port = /:(\d+)$/.exec(host)?.[1];
        return port === undefined ? undefined : { ...right, resource: `/${account}${before}${port}${path}` };
      },
    }),
  ),
  {
    ...proxyPrefix,
    apply(right, { account, path, header }) {
      const prefix = header('x-forwarded-prefix')?.replace(/\/$/, '');
      return prefix ? { ...right, resource: `/${account}${prefix}${path}` } : undefined;
    },
  },
  ...originalPaths.map(
    (name): SigningMistake => ({
      ...proxyPrefix,
      apply(right, { account, path, header }) {
        const original = pathOf(header(name));
        return original === undefined || original === path
          ? undefined
          : { ...right, resource: `/${account}${original}` };
      },
    }),
  ),
];

/** Returns whether a proxy has forwarded a request. */
export function isForwarded({ headerNames }: Pick<SignedMaterial, 'headerNames'>): boolean {
  return headerNames.some((name) => /^(?:via|forwarded|x-forwarded-.+|x-original-ur[il]|x-envoy-.+)$/.test(name));
}

/** Returns the path of a target or a URL, without its query. */
function pathOf(target: string | undefined): string | undefined {
  return target?.replace(/^https?:\/\/[^/?]*/i, '').split('?')[0];
}
