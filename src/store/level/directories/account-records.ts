import { defaultServiceProperties, type ServiceProperties } from '../../../protocol/service-properties.js';
import { storageTraits } from '../../../protocol/service-traits.js';
import { checkService } from '../../account-services.js';
import type { LevelParts } from '../level-parts.js';
import type { PendingChange } from './record-directory.js';

/** Returns the record that binds an account to its service, for its first write. Errors: StoreError `other-service` if it has another. */
export function keepService(parts: LevelParts, account: string): readonly PendingChange[] {
  const { services, accounts } = parts;
  const kept = accounts.findPending(account);
  checkService(account, kept?.service, services.traitsOf(account).service);
  const record = services.recordOf(account);
  if (!record || kept) return [];
  return [accounts.put(account, record)];
}

/** Returns the change that frees an account for any service. The caller removes its tables and settings. */
export function forgetService({ accounts }: LevelParts, account: string): readonly PendingChange[] {
  return accounts.findPending(account) ? [accounts.remove(account)] : [];
}

/** Returns the service that owns an account's data once all pending changes are written; undefined if there is none. */
export function storedService({ accounts, tables }: LevelParts, account: string): string | undefined {
  const record = accounts.findPending(account);
  if (record) return record.service;
  return tables.listPending(account).length > 0 ? storageTraits.service : undefined;
}

/** Returns the settings of an account once all pending changes are written. */
export function pendingSettings({ settings }: LevelParts, account: string): ServiceProperties {
  return settings.findPending(account) ?? defaultServiceProperties;
}

/** Replaces all settings of an account. Default settings need no record. */
export function replaceSettings(
  { settings }: LevelParts,
  account: string,
  properties: ServiceProperties,
): PendingChange {
  const isNew = JSON.stringify(properties) === JSON.stringify(defaultServiceProperties);
  return isNew ? settings.remove(account) : settings.put(account, properties);
}
