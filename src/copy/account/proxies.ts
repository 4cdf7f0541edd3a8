import type { EnvHttpProxyAgent } from 'undici';
import { CopyFault } from '../ends/end.js';

/** Returns the proxies that variables name, in either letter case; undefined if there are none. Errors: CopyFault, without secrets. */
export function proxiesOf(environment: NodeJS.ProcessEnv): EnvHttpProxyAgent.Options | undefined {
  const variable = (name: string) => environment[name.toLowerCase()] ?? environment[name];
  const [httpProxy, httpsProxy] = ['HTTP_PROXY', 'HTTPS_PROXY'].map((name) => {
    const url = variable(name);
    if (url && !(/^\w+:\/\//.test(url) && URL.canParse(url)))
      throw new CopyFault(`The variable ${name} is not the URL of a proxy, as http://proxy:8080.`);
    return url;
  });
  const noProxy = variable('NO_PROXY');
  return httpProxy || httpsProxy ? ({ httpProxy, httpsProxy, noProxy } as EnvHttpProxyAgent.Options) : undefined;
}
