/** What one look of the doctor found. */
export interface Finding {
  /** What was looked at. */
  readonly about: string;
  readonly says: string;
  /** What to do about it; absent where all is well. */
  readonly mend?: string;
}

/** The lines that a finding is printed as. */
export function findingLines({ about, says, mend }: Finding): readonly string[] {
  if (mend === undefined) return [`ok       ${about}: ${says}`];
  return [`problem  ${about}: ${says}`, `         ${mend}`];
}

/** What an error says, without where it came from. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
