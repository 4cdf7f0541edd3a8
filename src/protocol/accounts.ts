/** A storage account: its name and its two keys, either of which signs. */
export interface Account {
  readonly name: string;
  /** Base64, one or two. */
  readonly keys: readonly string[];
}

/** The well-known development account that is built into every SDK. Not a secret. Source: emulator, section 1. */
export const developmentAccount: Account = {
  name: 'devstoreaccount1',
  keys: ['Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='],
};

/** The domains under which the clouds serve tables, each account as a name of its own. Source: auth, section 4. */
export const cloudTableDomains: readonly string[] = [
  'table.core.windows.net',
  'table.core.chinacloudapi.cn',
  'table.core.usgovcloudapi.net',
  'table.core.cloudapi.de',
];
