/** The settings that the service stores for an account. Source: operations 8.6; operations 8.7. */
export interface ServiceProperties {
  readonly logging: Logging;
  readonly hourMetrics: Metrics;
  readonly minuteMetrics: Metrics;
  readonly cors: readonly CorsRule[];
}

/** The time for which logs or metrics are kept: a number of days, or forever if `days` is absent. */
export interface RetentionPolicy {
  readonly days?: number;
}

/** The requests that are logged. This server stores the setting but does not log by it. */
export interface Logging {
  readonly read: boolean;
  readonly write: boolean;
  readonly delete: boolean;
  readonly retention: RetentionPolicy;
}

/** The metrics settings. `includeApis` is present if and only if metrics are enabled. */
export interface Metrics {
  readonly includeApis?: boolean;
  readonly retention: RetentionPolicy;
}

/** A rule that permits requests from web pages of other origins. */
export interface CorsRule {
  readonly methods: readonly string[];
  readonly origins: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
}

/** The settings of a new account. Source: recordings-facts 7; operations 8.6. */
export const defaultServiceProperties: ServiceProperties = {
  logging: { read: false, write: false, delete: false, retention: {} },
  hourMetrics: { includeApis: true, retention: { days: 7 } },
  minuteMetrics: { retention: {} },
  cors: [],
};

/** The verbs that a CORS rule may contain. The .NET library's test suite uses the last two. Source: operations 8.7. */
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
