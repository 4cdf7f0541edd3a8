/**
 * An entry as JSON. The fields have the names that the service uses in its table StorageTableLogs; those from `Method` on
 * are ours. No signature, token or key is in it.
 */
export interface LogEntry {
  readonly TimeGenerated: string;
  readonly OperationName: string | undefined;
  readonly StatusCode: string;
  readonly StatusText: string;
  readonly DurationMs: number;
  readonly Uri: string;
  readonly AccountName: string | undefined;
  readonly ObjectKey: string | undefined;
  readonly Protocol: 'HTTP' | 'HTTPS';
  readonly OperationVersion: string | undefined;
  readonly AuthenticationType: string;
  /** The identity that a verified token was issued to, its program and its tenant. */
  readonly RequesterObjectId: string | undefined;
  readonly RequesterAppId: string | undefined;
  readonly RequesterTenantId: string | undefined;
  readonly CallerIpAddress: string;
  readonly UserAgentHeader: string | undefined;
  /** The `x-ms-request-id` of the answer. */
  readonly CorrelationId: string;
  readonly ClientRequestId: string | undefined;
  readonly RequestBodySize: number;
  readonly ResponseBodySize: number;
  readonly Method: string;
  /** The position in the journal. */
  readonly Seq: number;
  readonly Class: string | undefined;
  readonly Rule: string | undefined;
  readonly Shape: string | undefined;
  /** How many entities this server tested or took for the answer. */
  readonly EntitiesRead: number | undefined;
  readonly EntitiesReturned: number | undefined;
  /** Whether the answer has a continuation token. */
  readonly Continues: true | undefined;
  readonly Mark: string | undefined;
  /** The ids of the fault rules that acted on the request, with commas between them. */
  readonly Fault: string | undefined;
  /** The name of the identity that sent it, in the file of identities. */
  readonly Identity: string | undefined;
  /** Whether the page for browsers has sent it. */
  readonly Explorer: true | undefined;
  /** The bodies, as far as they are kept and without credentials. Only an entry that was asked for by its id has them. */
  readonly RequestBody?: string | undefined;
  readonly ResponseBody?: string | undefined;
  /** Why the request was refused: the short name of the cause, and its words. */
  readonly Why: string | undefined;
}
