/**
 * The settings the service keeps for an account. Source: operations 8.6 and 8.7.
 */
export interface ServiceProperties {
  readonly logging: Logging;
  readonly hourMetrics: Metrics;
  readonly minuteMetrics: Metrics;
  readonly cors: readonly CorsRule[];
}

/** For how long logs or metrics are kept; for ever when no days are given. */
export interface RetentionPolicy {
  readonly days?: number;
}

/** What is logged. This server keeps the setting and logs in its own way. */
export interface Logging {
  readonly read: boolean;
  readonly write: boolean;
  readonly delete: boolean;
  readonly retention: RetentionPolicy;
}

/** What is measured; `includeApis` is there exactly when it is. */
export interface Metrics {
  readonly includeApis?: boolean;
  readonly retention: RetentionPolicy;
}

/** Which pages of other origins may ask for what. */
export interface CorsRule {
  readonly methods: readonly string[];
  readonly origins: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
}

/** What a new account answers with. Source: recordings-facts 7; operations 8.6. */
export const defaultServiceProperties: ServiceProperties = {
  logging: { read: false, write: false, delete: false, retention: {} },
  hourMetrics: { includeApis: true, retention: { days: 7 } },
  minuteMetrics: { retention: {} },
  cors: [],
};

/** The verbs a rule may name. Source: operations 8.7; the last two, the .NET library's own suite. */
export const corsMethods: readonly string[] = [
  'DELETE',
  'GET',
  'HEAD',
  'MERGE',
  'POST',
  'OPTIONS',
  'PUT',
  'PATCH',
  'TRACE',
  'CONNECT',
];
