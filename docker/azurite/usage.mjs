/** The flags of `azurite`, each with what it does. Source: `azurite --help` of version 3.37. */
const flags = [
  ...['blob', 'queue', 'table'].flatMap((service, index) => [
    [`--${service}Host <address>`, `address that the ${service} service listens on (default: 127.0.0.1)`],
    [`--${service}Port <port>`, `port of the ${service} service; 0 for a free one (default: ${10000 + index})`],
  ]),
  ['--tableKeepAliveTimeout <seconds>', 'seconds until the table service closes an idle connection'],
  ['--blobKeepAliveTimeout <seconds>', 'accepted, without effect'],
  ['--queueKeepAliveTimeout <seconds>', 'accepted, without effect'],
  ['-l, --location <folder>', 'folder for all data (default: the current folder)'],
  ['--inMemoryPersistence', 'keep all data in memory'],
  ['--extentMemoryLimit <megabytes>', 'limit for blobs and for queues in memory'],
  ['-s, --silent', 'no access log'],
  ['-d, --debug <file>', 'write a debug log'],
  ['-L, --loose', 'ignore unsupported headers and parameters'],
  ['--skipApiVersionCheck', 'accept any version of the API'],
  ['--disableProductStyleUrl', 'read the account from the path, never from the host'],
  ['--cert <file>', 'certificate for HTTPS: PEM with --key, or PFX with --pwd'],
  ['--key <file>', 'key of a PEM certificate'],
  ['--pwd <password>', 'password of a PFX certificate'],
  ['--oauth <level>', 'accept tokens of Microsoft Entra ID; the only level is basic'],
  ['--disableTelemetry', 'accepted, without effect: nothing sends telemetry'],
  ['-h, --help', 'print this help'],
  ['-v, --version', 'print the version'],
];

const width = Math.max(...flags.map(([flag = '']) => flag.length));

/** What `azurite --help` prints. Rider reads the flags from it. */
export const usage = `
  Usage: azurite [options]

  Blobs and queues by Azurite, tables by Tabularium. The commands azurite-blob, azurite-queue and azurite-table serve
  one of them. All other options of azurite-table work here, too: see azurite-table --help.

  Options:
${flags.map(([flag = '', text]) => `    ${flag.padEnd(width)}  ${text}\n`).join('')}
  AZURITE_ACCOUNTS sets the accounts: name1:key1:key2;name2:key1
`;
