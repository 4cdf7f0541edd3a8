/** The result of one check. */
export interface Finding {
  /** The subject of the check. */
  readonly about: string;
  readonly found: string;
  /** What to do about the problem; absent if there is none. */
  readonly remedy?: string;
  /** Whether a running Tabularium was found. It may hold its port and its data. */
  readonly isRunning?: true;
}

/** Returns the lines to print for a finding. */
export function findingLines({ about, found, remedy }: Finding): readonly string[] {
  if (remedy === undefined) return [`ok       ${about}: ${found}`];
  return [`problem  ${about}: ${found}`, `         ${remedy}`];
}

/** Returns the message of an error, without its stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
