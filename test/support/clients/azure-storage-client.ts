import azure from 'azure-storage';
import type { RunningService } from '../servers/start-service.js';

/** The callback of the library. */
export type Done<T> = (error: Error, result: T, response: azure.ServiceResponse) => void;

/** A value as the library reads it, with its type if it was annotated. */
export interface LegacyValue {
  readonly _: unknown;
  readonly $?: string;
}

/** An entity as the library reads it. */
export type LegacyEntity = Readonly<Record<string, LegacyValue>> & azure.TableService.EntityMetadata;

/** A part of a batch's answer as the library reads it. */
export interface LegacyPart {
  readonly entity?: azure.TableService.EntityMetadata;
  readonly error?: azure.StorageError;
  readonly response: { readonly statusCode?: number; readonly isSuccessful?: boolean };
}

/** Creates a client of a service over plain HTTP. */
export function connectLegacy({ account, base }: RunningService): azure.TableService {
  const parts = [
    'DefaultEndpointsProtocol=http',
    `AccountName=${account.name}`,
    `AccountKey=${account.keys[0]}`,
    `TableEndpoint=${base}`,
  ];
  return azure.createTableService(parts.join(';'));
}

/** Calls the library and waits for its callback. */
export function ask<T>(begin: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    begin((error, result) => (error ? reject(error) : resolve(result)));
  });
}

/** Returns the values of an entity, without types, tag and Timestamp. */
export function valuesOf(entity: LegacyEntity): Record<string, unknown> {
  const { '.metadata': _metadata, Timestamp: _timestamp, ...properties } = entity;
  return Object.fromEntries(
    Object.entries(properties as Record<string, LegacyValue>).map(([name, value]) => [name, value._]),
  );
}
