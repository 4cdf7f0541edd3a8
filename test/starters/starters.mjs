import { join } from 'node:path';
import { key, line, ports, properties, ready, shape } from './conditions.mjs';

/**
 * How a tool starts Azurite: the command line, what it waits for, and how it stops the program.
 *
 * @typedef {object} Starter
 * @property {string} name
 * @property {string} source where the tool's code or documentation says so
 * @property {string} [program] default: azurite
 * @property {{ words: string[], answer: RegExp, limitMs: number }} [question] what the tool asks before it starts the program
 * @property {(folder: string) => string[]} words the command line; `folder` is an empty one
 * @property {Record<string, string>} [variables]
 * @property {import('./conditions.mjs').Condition[]} waits all of them must hold
 * @property {number} limitMs how long the tool waits
 * @property {'SIGTERM' | 'kill tree'} [stop] default: SIGTERM
 * @property {true} [needsTablesAlone] whether the tool is content with a server of tables
 */

const readyLines = ['Blob', 'Queue', 'Table'].map((title) =>
  line(title.toLowerCase(), `${title} service is successfully listening`),
);
const allHosts = ['--blobHost', '0.0.0.0', '--queueHost', '0.0.0.0', '--tableHost', '0.0.0.0'];
const allPorts = ['--blobPort', '10000', '--queuePort', '10001', '--tablePort', '10002'];
const loopback = allHosts.map((word) => word.replace('0.0.0.0', '127.0.0.1'));
const everyService = ['blob', 'queue', 'table'];

/** @type {readonly Starter[]} */
export const starters = [
  {
    name: 'Functions Core Tools 5',
    source: 'Azure/azure-functions-core-tools, branch vnext, src/Func/Commands/Start/Azurite',
    question: { words: ['--version'], answer: /^\S{1,64}\r?\n/, limitMs: 5000 },
    words: (folder) => [
      ...['-l', folder, ...loopback, ...allPorts, '--disableProductStyleUrl', '--skipApiVersionCheck'],
      ...['--disableTelemetry', '--silent', '--debug', join(folder, 'azurite.log')],
    ],
    waits: everyService.map(shape),
    limitMs: 30_000,
    stop: 'kill tree',
  },
  {
    name: 'Rider',
    source: 'JetBrains/azure-tools-for-intellij, AzuriteService.kt',
    question: { words: ['--help'], answer: /--tableHost/i, limitMs: 15_000 },
    words: (folder) => [
      ...['--blobHost', '127.0.0.1', '--blobPort', '10000', '--queueHost', '127.0.0.1', '--queuePort', '10001'],
      ...['--location', folder, '--tableHost', '127.0.0.1', '--tablePort', '10002'],
    ],
    waits: ports(everyService),
    limitMs: 15_000,
    stop: 'kill tree',
  },
  {
    name: 'IntelliJ',
    source: 'JetBrains/azure-tools-for-intellij, AzuriteService.java',
    words: (folder) => ['--location', folder, '--loose'],
    waits: [line('table', 'service is successfully listening at'), ...everyService.map(properties)],
    limitMs: 30_000,
  },
  {
    name: 'VS Code, Azure Storage',
    source: 'microsoft/vscode-azurestorage 0.17.2',
    program: 'azurite-table',
    question: { words: ['-v'], answer: /^\d/, limitMs: 5000 },
    words: () => [],
    waits: [ready('table')],
    limitMs: 3000,
    needsTablesAlone: true,
  },
  {
    name: 'VS Code, Azure Functions',
    source: 'microsoft/vscode-azurefunctions 1.22.1, src/debug/validatePreDebug.ts',
    words: () => [],
    waits: [properties('blob')],
    limitMs: 15_000,
  },
  {
    name: 'Visual Studio',
    source: 'the command line that users of Visual Studio 2022 quote',
    words: (folder) => ['--location', folder, '--debug', join(folder, 'debug.log'), '--skipApiVersionCheck'],
    waits: ports(everyService),
    limitMs: 15_000,
  },
  {
    name: '.NET Aspire',
    source: 'microsoft/aspire, src/Aspire.Hosting.Azure.Storage/AzureStorageExtensions.cs',
    words: (folder) => ['-l', folder, ...allHosts, '--disableProductStyleUrl', '--skipApiVersionCheck'],
    waits: [properties('blob'), properties('table')],
    limitMs: 30_000,
  },
  {
    name: 'Testcontainers for Java',
    source: 'testcontainers-java 2.0.5, AzuriteContainer.java',
    words: () => allHosts,
    waits: ports(everyService),
    limitMs: 60_000,
  },
  {
    name: 'Testcontainers for .NET',
    source: 'testcontainers-dotnet 4.12.0, AzuriteBuilder.cs',
    words: () => allHosts,
    waits: readyLines,
    limitMs: 60_000,
  },
  {
    name: 'Testcontainers for .NET, in memory',
    source: 'testcontainers-dotnet 4.12.0, AzuriteBuilder.cs',
    words: () => [...allHosts, '--inMemoryPersistence', '--extentMemoryLimit', '64'],
    waits: readyLines,
    limitMs: 60_000,
  },
  {
    name: 'Testcontainers for Node.js',
    source: 'testcontainers-node 12.1.0, azurite-container.ts',
    words: () => [...allHosts, ...allPorts],
    waits: readyLines,
    limitMs: 120_000,
  },
  {
    name: 'Testcontainers for Python',
    source: 'testcontainers-python 4.15.0, testcontainers/community/azurite',
    words: (folder) => ['-l', folder, ...allHosts],
    variables: { AZURITE_ACCOUNTS: `devstoreaccount1:${key}` },
    waits: ports(['blob']),
    limitMs: 60_000,
  },
  {
    name: 'Testcontainers for Go',
    source: 'testcontainers-go 0.44.0, modules/azure/azurite/azurite.go',
    words: () => [...allHosts, ...allPorts, '--inMemoryPersistence', '--extentMemoryLimit', '64.000000'],
    waits: ports(everyService),
    limitMs: 60_000,
  },
  {
    name: 'Testcontainers for Go, tables',
    source: 'testcontainers-go 0.44.0, WithEnabledServices(TableService)',
    words: () => ['--tableHost', '0.0.0.0', '--tablePort', '10002'],
    waits: ports(['table']),
    limitMs: 60_000,
    needsTablesAlone: true,
  },
  {
    name: 'Testcontainers for Rust',
    source: 'testcontainers-modules 0.15.0, src/azurite/mod.rs',
    words: () => allHosts,
    waits: [line('table', 'Azurite Table service is successfully listening at http://0.0.0.0:10002')],
    limitMs: 60_000,
    needsTablesAlone: true,
  },
  {
    name: 'an npm script',
    source: 'public repositories',
    words: (folder) => ['--silent', '--location', folder, '--debug', join(folder, 'debug.log')],
    waits: ports(everyService),
    limitMs: 15_000,
  },
  {
    name: 'the CI of Durable Functions',
    source: 'Azure/azure-functions-durable-extension, smoketest-dotnet-isolated-v4.yml',
    words: () => ['--silent', ...allPorts],
    waits: ports(everyService),
    limitMs: 15_000,
  },
];
