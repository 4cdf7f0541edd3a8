import type { EnvHttpProxyAgent } from 'undici';
import { CopyFault } from '../ends/end.js';

/** Returns the proxies that variables name, in either letter case; undefined if there are none. Errors: CopyFault, without secrets. */
export function proxiesOf(environment: NodeJS.ProcessEnv): EnvHttpProxyAgent.Options | undefined {
  const httpProxy = checked('HTTP_PROXY', environment['http_proxy'] ?? environment['HTTP_PROXY']);
  const httpsProxy = checked('HTTPS_PROXY', environment['https_proxy'] ?? environment['HTTPS_PROXY']);
  const noProxy = environment['no_proxy'] ?? environment['NO_PROXY'];
  return httpProxy || httpsProxy ? ({ httpProxy, httpsProxy, noProxy } as EnvHttpProxyAgent.Options) : undefined;
}

/** Returns the value of a variable. Errors: CopyFault unless it is a URL or empty. */
function checked(name: string, url: string | undefined): string | undefined {
  if (!url || (/^\w+:\/\//.test(url) && URL.canParse(url))) return url;
  throw new CopyFault(`The variable ${name} is not the URL of a proxy, as http://proxy:8080.`);
}
