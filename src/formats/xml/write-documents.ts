import type { AccessPolicy } from '../../protocol/access/access-policy.js';
import type { DelegationKeyFields } from '../../protocol/access/user-delegation.js';
import type { CorsRule, Metrics, RetentionPolicy, ServiceProperties } from '../../protocol/service-properties.js';
import { protocolVersions } from '../../protocol/versions.js';
import { escapeXmlText } from '../../protocol/xml/xml-text.js';

/** The beginning of every XML answer. The service sends the byte order mark. Source: operations 4.2. */
const xmlDeclaration = '\ufeff<?xml version="1.0" encoding="utf-8"?>';

/** Writes the settings as Get Table Service Properties answers them: in fixed order, on one line. Source: operations 8.6. */
export function writePropertiesDocument(properties: ServiceProperties, version: string): string {
  const { logging, hourMetrics, minuteMetrics, cors } = properties;
  const log =
    `<Logging><Version>1.0</Version><Read>${logging.read}</Read><Write>${logging.write}</Write>` +
    `<Delete>${logging.delete}</Delete>${writeRetention(logging.retention)}</Logging>`;
  const rest =
    version < protocolVersions.cors
      ? writeMetrics('Metrics', hourMetrics)
      : writeMetrics('HourMetrics', hourMetrics) + writeMetrics('MinuteMetrics', minuteMetrics) + writeCors(cors);
  return `${xmlDeclaration}<StorageServiceProperties>${log}${rest}</StorageServiceProperties>`;
}

function writeMetrics(name: string, { includeApis, retention }: Metrics): string {
  const enabled = includeApis !== undefined;
  const apis = enabled ? `<IncludeAPIs>${includeApis}</IncludeAPIs>` : '';
  return `<${name}><Version>1.0</Version><Enabled>${enabled}</Enabled>${apis}${writeRetention(retention)}</${name}>`;
}

function writeRetention({ days }: RetentionPolicy): string {
  const kept = days === undefined ? '' : `<Days>${days}</Days>`;
  return `<RetentionPolicy><Enabled>${days !== undefined}</Enabled>${kept}</RetentionPolicy>`;
}

function writeCors(rules: readonly CorsRule[]): string {
  if (rules.length === 0) return '<Cors />';
  return `<Cors>${rules.map(writeRule).join('')}</Cors>`;
}

function writeRule(rule: CorsRule): string {
  const fields = [
    writeList('AllowedMethods', rule.methods),
    writeList('AllowedOrigins', rule.origins),
    writeList('AllowedHeaders', rule.allowedHeaders),
    writeList('ExposedHeaders', rule.exposedHeaders),
    `<MaxAgeInSeconds>${rule.maxAgeSeconds}</MaxAgeInSeconds>`,
  ];
  return `<CorsRule>${fields.join('')}</CorsRule>`;
}

function writeList(name: string, values: readonly string[]): string {
  return values.length === 0 ? `<${name} />` : `<${name}>${escapeXmlText(values.join(','))}</${name}>`;
}

/** Writes the state of replication as Get Table Service Stats answers it. Source: operations 8.8. */
export function writeStatsDocument(syncedAt: Date): string {
  const replication = `<GeoReplication><Status>live</Status><LastSyncTime>${syncedAt.toUTCString()}</LastSyncTime></GeoReplication>`;
  return `${xmlDeclaration}<StorageServiceStats>${replication}</StorageServiceStats>`;
}

/** Writes access policies as Get Table ACL answers them: only the fields that were set, in fixed order. Source: recordings-facts 7. */
export function writePoliciesDocument(policies: readonly AccessPolicy[]): string {
  if (policies.length === 0) return `${xmlDeclaration}<SignedIdentifiers />`;
  return `${xmlDeclaration}<SignedIdentifiers>${policies.map(writePolicy).join('')}</SignedIdentifiers>`;
}

function writePolicy({ id, start, expiry, permission }: AccessPolicy): string {
  const fields = [
    start === undefined ? '' : `<Start>${start}</Start>`,
    expiry === undefined ? '' : `<Expiry>${expiry}</Expiry>`,
    permission === undefined ? '' : `<Permission>${permission}</Permission>`,
  ].join('');
  const policy = fields === '' ? '' : `<AccessPolicy>${fields}</AccessPolicy>`;
  return `<SignedIdentifier><Id>${escapeXmlText(id)}</Id>${policy}</SignedIdentifier>`;
}

/** Writes a user delegation key as Get User Delegation Key answers it. Source: identity 5. */
export function writeDelegationKeyDocument(key: DelegationKeyFields, value: string): string {
  const elements = [
    ['SignedOid', key.objectId],
    ['SignedTid', key.tenant],
    ['SignedStart', key.start],
    ['SignedExpiry', key.expiry],
    ['SignedService', key.service],
    ['SignedVersion', key.version],
    ...(key.delegatedTenant === '' ? [] : [['SignedDelegatedUserTid', key.delegatedTenant]]),
    ['Value', value],
  ];
  const inner = elements.map(([name, text = '']) => `<${name}>${escapeXmlText(text)}</${name}>`).join('');
  return `${xmlDeclaration}<UserDelegationKey>${inner}</UserDelegationKey>`;
}
