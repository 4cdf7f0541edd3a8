/** The service that an account belongs to: storage accounts, or Azure Cosmos DB for Table. */
export type DialectName = 'storage' | 'cosmos';

/** An account: its name and its keys. A request may be signed with any of them. */
export interface Account {
  readonly name: string;
  /** One or two keys in base64. */
  readonly keys: readonly string[];
  /** The service that it belongs to. Absent: storage accounts. */
  readonly dialect?: DialectName;
  /** The root account of a branch, however many branches lie between. Absent for other accounts. */
  readonly origin?: string;
  /** The mark of its requests, such as the name of the test that has the branch. Absent: that of the server. */
  readonly mark?: string;
}

/** The well-known development account that is built into every SDK. Its key is public. Source: emulator 1. */
export const developmentAccount: Account = {
  name: 'devstoreaccount1',
  keys: ['Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='],
};

/** The account that the emulator of Cosmos DB publishes. Its key is public. Source: cosmos 13. */
export const cosmosEmulatorAccount: Account = {
  name: 'localhost',
  keys: ['C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=='],
  dialect: 'cosmos',
};

/** The domains of tables in the public and national clouds. Each account is a subdomain. Source: auth 4. */
export const cloudTableDomains: readonly string[] = [
  'table.core.windows.net',
  'table.core.chinacloudapi.cn',
  'table.core.usgovcloudapi.net',
  'table.core.cloudapi.de',
];
