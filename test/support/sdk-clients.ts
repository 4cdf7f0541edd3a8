import { Agent } from 'node:http';
import type { LookupFunction } from 'node:net';
import {
  AzureNamedKeyCredential,
  TableClient,
  TableServiceClient,
  type TableServiceClientOptions,
} from '@azure/data-tables';
import type { RunningService } from './start-service.js';

/** How a client names its account: in the path, as emulators have it, or in the host, as the cloud has it. */
export type EndpointStyle = 'path' | 'host';

/** Both ways. */
export const endpointStyles: readonly EndpointStyle[] = ['path', 'host'];

/** Makes clients of the unmodified SDK for a service. */
export interface SdkClients {
  service(): TableServiceClient;
  table(name: string): TableClient;
  /** Lets the connections go. */
  close(): void;
}

const loopback: LookupFunction = (_name, options, found) => {
  if (options.all) found(null, [{ address: '127.0.0.1', family: 4 }]);
  else found(null, '127.0.0.1', 4);
};

/**
 * Makes clients that reach a service in this style. Not every resolver knows the names below localhost, so host style
 * resolves them itself: that is all the SDK is told beside its endpoint.
 */
export function sdkClients({ url, account }: RunningService, style: EndpointStyle): SdkClients {
  const { name, keys } = account;
  const agent = new Agent({ keepAlive: true, lookup: loopback });
  const options: TableServiceClientOptions = {
    allowInsecureConnection: true,
    retryOptions: { maxRetries: 0 },
    additionalPolicies: [
      {
        position: 'perRetry',
        policy: {
          name: 'own-agent',
          sendRequest(request, next) {
            request.agent = agent;
            return next(request);
          },
        },
      },
    ],
  };
  const close = () => agent.destroy();
  if (style === 'path') {
    const connection = `DefaultEndpointsProtocol=http;AccountName=${name};AccountKey=${keys[0]};TableEndpoint=${url}/${name};`;
    return {
      service: () => TableServiceClient.fromConnectionString(connection, options),
      table: (table) => TableClient.fromConnectionString(connection, table, options),
      close,
    };
  }
  const endpoint = `http://${name}.table.localhost:${new URL(url).port}`;
  const credential = new AzureNamedKeyCredential(name, keys[0] ?? '');
  return {
    service: () => new TableServiceClient(endpoint, credential, options),
    table: (table) => new TableClient(endpoint, table, credential, options),
    close,
  };
}

/** What is left of an error that the SDK throws. */
export interface SdkError {
  readonly statusCode?: number;
  readonly details?: { readonly odataError?: { readonly code?: string } };
}

/** The refusal of a call: its status and the service's code. */
export async function sdkRefusal(call: Promise<unknown>): Promise<{ statusCode?: number; code?: string }> {
  const error = await call.then(
    () => {
      throw new Error('nothing was refused');
    },
    (reason: unknown) => reason as Error & SdkError,
  );
  if (error.name !== 'RestError') throw error;
  const { statusCode, details } = error;
  const code = details?.odataError?.code;
  return { ...(statusCode !== undefined && { statusCode }), ...(code !== undefined && { code }) };
}
