import type { CorsRule, Metrics, RetentionPolicy, ServiceProperties } from '../../protocol/service-properties.js';
import { protocolVersions } from '../../protocol/versions.js';
import { escapeXmlText } from '../../protocol/xml/xml-text.js';
import { xmlDeclaration } from './xml-declaration.js';

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
