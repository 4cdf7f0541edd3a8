import { Agent } from 'node:http';
import type { LookupFunction } from 'node:net';
import {
  AzureNamedKeyCredential,
  TableClient,
  TableServiceClient,
  type TableServiceClientOptions,
} from '@azure/data-tables';
import type { RunningService } from '../servers/start-service.js';

/** Where a client writes its account: in the path, as for emulators, or in the host, as in the cloud. */
export type EndpointStyle = 'path' | 'host';

/** Both styles. */
export const endpointStyles: readonly EndpointStyle[] = ['path', 'host'];

/** Creates clients of the unmodified SDK for a service. */
export interface SdkClients {
  service(): TableServiceClient;
  table(name: string): TableClient;
  /** Closes the connections. */
  close(): void;
}

const loopback: LookupFunction = (_name, options, found) => {
  if (options.all) found(null, [{ address: '127.0.0.1', family: 4 }]);
  else found(null, '127.0.0.1', 4);
};

/**
 * Creates clients for a service in this style. Not every resolver knows the names below localhost, so the host style
 * resolves them itself. Apart from the endpoint, this is the only setting of the SDK.
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

/** The tested fields of an error that the SDK throws. */
export interface SdkError {
  readonly statusCode?: number;
  readonly details?: { readonly odataError?: { readonly code?: string } };
}

/** Returns the status and the error code of a rejected call. */
export async function sdkRejection(call: Promise<unknown>): Promise<{ statusCode?: number; code?: string }> {
  const error = await call.then(
    () => {
      throw new Error('nothing was rejected');
    },
    (reason: unknown) => reason as Error & SdkError,
  );
  if (error.name !== 'RestError') throw error;
  const { statusCode, details } = error;
  const code = details?.odataError?.code;
  return { ...(statusCode !== undefined && { statusCode }), ...(code !== undefined && { code }) };
}
