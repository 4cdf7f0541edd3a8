import { describe, expect, it } from 'vitest';
import { readTraceSettings } from '../../../src/commands/options/option-sources.js';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

describe('The variables of OpenTelemetry', () => {
  it.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
    [endpoint, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4318/v1/traces' }, true],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }, true],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'true' }, false],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
  ])('%j ask for traces: %s', (variables, traces) => {
    expect(readTraceSettings(variables)).toEqual({ traces, notes: [] });
  });

  it('say what to set if they ask for gRPC', () => {
    const { traces, notes } = readTraceSettings({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' });
    expect(traces).toBe(false);
    expect(notes.join()).toMatch(/http\/json.*4318/);
  });
});
