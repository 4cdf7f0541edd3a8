import { join } from 'node:path';
import azure from 'azure-storage';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { developmentAccount } from '../../src/protocol/access/accounts.js';
import { ask } from '../support/clients/azure-storage-client.js';
import type { RunningProgram } from '../support/programs/run-program.js';
import { BlobStandIn } from '../support/servers/blob-stand-in.js';
import { QueueStandIn } from '../support/servers/queue-stand-in.js';

/** The folder of the programs of an installed Azurite, such as node_modules/.bin, and the Node.js 24 program that it needs. */
const azurite = process.env['TABULARIUM_AZURITE'];
const node = process.env['TABULARIUM_NODE24'];
const isInstalled = azurite !== undefined && node !== undefined;
const skipped = isInstalled ? '' : ' (skipped: needs TABULARIUM_AZURITE and TABULARIUM_NODE24)';

type Eventual<T> = T | Promise<T>;

/** A queue and a container of blobs: the stand-ins that examples use, or those of Azurite. */
interface TestedServices {
  readonly queue: {
    send(body: string): Eventual<unknown>;
    receive(
      hiddenMs: number,
    ): Eventual<{ body: string; dequeueCount: number; delete(): Eventual<unknown> } | undefined>;
    /** How many messages there are, hidden ones included. */
    count(): Eventual<number>;
    /** Waits until a message that is hidden for a second can be received again. */
    untilVisible(): Eventual<unknown>;
  };
  readonly blobs: {
    upload(name: string, bytes: Buffer): Eventual<unknown>;
    download(name: string): Eventual<Buffer | undefined>;
    delete(name: string): Eventual<unknown>;
    list(): Eventual<readonly string[]>;
  };
  stop(): Eventual<unknown>;
}

function startStandIns(): TestedServices {
  vi.useFakeTimers({ toFake: ['Date'] });
  const queue = new QueueStandIn<string>();
  return {
    queue: {
      send: (body) => queue.send(body),
      receive: (hiddenMs) => queue.receive(hiddenMs),
      count: () => queue.length,
      untilVisible: () => vi.setSystemTime(Date.now() + 1000),
    },
    blobs: new BlobStandIn(),
    stop: () => vi.useRealTimers(),
  };
}

/** Starts Azurite's services for queues and blobs, in memory. */
async function startAzurite(): Promise<TestedServices> {
  // It needs a build, which the stand-ins alone do not.
  const { runProgram } = await import('../support/programs/run-program.js');
  const start = async (service: 'blob' | 'queue'): Promise<[RunningProgram, string]> => {
    const program = runProgram([
      ...[node ?? '', join(azurite ?? '', `azurite-${service}`), `--${service}Port`, '0'],
      ...['--inMemoryPersistence', '--skipApiVersionCheck', '--disableTelemetry'],
    ]);
    const [, url = ''] = await program.until(/successfully listen\w* (?:at|on) (http\S+)/);
    return [program, url];
  };
  const [[queueProgram, queueUrl], [blobProgram, blobUrl]] = await Promise.all([start('queue'), start('blob')]);
  const { name, keys } = developmentAccount;
  const account = `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${keys[0]};`;
  const queues = azure.createQueueService(`${account}QueueEndpoint=${queueUrl}/${name};`);
  const blobs = azure.createBlobService(`${account}BlobEndpoint=${blobUrl}/${name};`);
  await ask((done) => queues.createQueue('queue', done as never));
  await ask((done) => blobs.createContainer('blobs', done as never));
  return {
    queue: {
      send: (body) => ask((done) => queues.createMessage('queue', body, done as never)),
      async receive(hiddenMs) {
        const options = { visibilityTimeout: hiddenMs / 1000 };
        const [message] = await ask<azure.QueueService.QueueMessageResult[]>((done) =>
          queues.getMessages('queue', options, done as never),
        );
        if (!message) return undefined;
        const { messageText = '', dequeueCount, messageId = '', popReceipt = '' } = message;
        return {
          body: messageText,
          dequeueCount: Number(dequeueCount),
          delete: () => ask((done) => queues.deleteMessage('queue', messageId, popReceipt, done as never)),
        };
      },
      async count() {
        const found = await ask<azure.QueueService.QueueResult>((done) =>
          queues.getQueueMetadata('queue', done as never),
        );
        return Number(found.approximateMessageCount);
      },
      async untilVisible() {
        const visible = () =>
          ask<azure.QueueService.QueueMessageResult[]>((done) => queues.peekMessages('queue', done as never));
        await vi.waitUntil(async () => (await visible()).length > 0, { timeout: 20_000 });
      },
    },
    blobs: {
      upload: (blob, bytes) => ask((done) => blobs.createBlockBlobFromText('blobs', blob, bytes, done as never)),
      async download(blob) {
        const { exists } = await ask<azure.BlobService.BlobResult>((done) =>
          blobs.doesBlobExist('blobs', blob, done as never),
        );
        if (!exists) return undefined;
        return Buffer.from(await ask<string>((done) => blobs.getBlobToText('blobs', blob, done as never)));
      },
      delete: (blob) => ask((done) => blobs.deleteBlob('blobs', blob, done as never)),
      async list() {
        const found = await ask<azure.BlobService.ListBlobsResult>((done) =>
          blobs.listBlobsSegmented('blobs', null as never, done as never),
        );
        return found.entries.map((entry) => entry.name);
      },
    },
    async stop() {
      for (const program of [queueProgram, blobProgram]) program.kill('SIGTERM');
      await Promise.all([queueProgram.ended, blobProgram.ended]);
    },
  };
}

// The examples of the design patterns use stand-ins for queues and blobs. What they rely on holds for Azurite, too.
describe.each([
  { what: 'The stand-ins for queues and blobs', start: startStandIns, isSkipped: false },
  { what: `Azurite's queues and blobs${skipped}`, start: startAzurite, isSkipped: !isInstalled },
])('$what:', ({ start, isSkipped }) => {
  let services: TestedServices;
  beforeAll(async () => {
    if (!isSkipped) services = await start();
  });
  afterAll(() => services?.stop());

  it.skipIf(isSkipped)('a message that is not deleted is hidden, and then comes again', async () => {
    const { queue } = services;
    await queue.send('move');
    expect(await queue.receive(1000)).toMatchObject({ body: 'move', dequeueCount: 1 });
    expect(await queue.receive(1000)).toBeUndefined();
    await queue.untilVisible();
    const again = await queue.receive(30_000);
    expect(again).toMatchObject({ body: 'move', dequeueCount: 2 });
    expect(await queue.count()).toBe(1);
    await again?.delete();
    expect(await queue.count()).toBe(0);
  });

  it.skipIf(isSkipped)('messages come in the order in which they were sent', async () => {
    const { queue } = services;
    for (const body of ['first', 'second']) await queue.send(body);
    for (const body of ['first', 'second']) {
      const message = await queue.receive(30_000);
      expect(message?.body).toBe(body);
      await message?.delete();
    }
  });

  it.skipIf(isSkipped)('a blob has a name and bytes, and the names are listed in order', async () => {
    const { blobs } = services;
    await blobs.upload('photo-2', Buffer.from('two'));
    await blobs.upload('photo-1', Buffer.from('one'));
    await blobs.upload('photo-1', Buffer.from('one again'));
    expect(await blobs.list()).toEqual(['photo-1', 'photo-2']);
    expect((await blobs.download('photo-1'))?.toString()).toBe('one again');
    await blobs.delete('photo-1');
    expect(await blobs.download('photo-1')).toBeUndefined();
    expect(await blobs.list()).toEqual(['photo-2']);
  });
});
