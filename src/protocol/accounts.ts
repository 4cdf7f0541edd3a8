/** A storage account: its name and its keys. A request may be signed with any of them. */
export interface Account {
  readonly name: string;
  /** One or two keys in base64. */
  readonly keys: readonly string[];
}

/** The well-known development account that is built into every SDK. Its key is public. Source: emulator 1. */
export const developmentAccount: Account = {
  name: 'devstoreaccount1',
  keys: ['Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='],
};

/** The domains of tables in the public and national clouds. Each account is a subdomain. Source: auth 4. */
export const cloudTableDomains: readonly string[] = [
  'table.core.windows.net',
  'table.core.chinacloudapi.cn',
  'table.core.usgovcloudapi.net',
  'table.core.cloudapi.de',
];
