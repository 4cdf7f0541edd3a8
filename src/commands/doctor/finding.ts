/** What one look of the doctor found. */
export interface Finding {
  /** What was looked at. */
  readonly about: string;
  readonly says: string;
  /** What to do about it; absent where all is well. */
  readonly remedy?: string;
}

/** The lines that a finding is printed as. */
export function findingLines({ about, says, remedy }: Finding): readonly string[] {
  if (remedy === undefined) return [`ok       ${about}: ${says}`];
  return [`problem  ${about}: ${says}`, `         ${remedy}`];
}

/** What an error says, without where it came from. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
