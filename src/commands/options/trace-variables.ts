/** Whether the variables of OpenTelemetry ask for traces, and what to tell the user if they cannot be sent. */
export interface TraceWish {
  readonly traces: boolean;
  readonly notes: readonly string[];
}

/**
 * Reads whether to send traces. Source: OpenTelemetry, OTLP exporter; OpenTelemetry,
 * environment variables.
 */
export function readTraceWish(environment: NodeJS.ProcessEnv): TraceWish {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpointOfTraces,
    OTEL_EXPORTER_OTLP_PROTOCOL: generalProtocol,
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocolOfTraces,
    OTEL_SDK_DISABLED: disabled,
    OTEL_TRACES_EXPORTER: exporter,
  } = environment;
  const isWanted = Boolean(endpointOfTraces?.trim() || endpoint?.trim());
  if (!isWanted || disabled?.toLowerCase() === 'true' || exporter === 'none') return { traces: false, notes: [] };
  const protocol = protocolOfTraces || generalProtocol;
  if (protocol !== 'grpc') return { traces: true, notes: [] };
  const note =
    'Traces are not sent: OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and this server sends OTLP over HTTP. Set it to http/json, and ' +
    "OTEL_EXPORTER_OTLP_ENDPOINT to the collector's HTTP port, usually 4318.";
  return { traces: false, notes: [note] };
}
