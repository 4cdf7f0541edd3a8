/** The part of a task of Vitest that its name needs. */
export interface NamedTask {
  readonly name: string;
  readonly suite?: NamedTask | undefined;
  readonly file?: { readonly name: string };
}

/** Returns the full name of a test: `visits.spec.ts > Visits > counts every visit`. */
export function testName(test: NamedTask, file: string | undefined = test.file?.name): string {
  const names: string[] = [];
  for (let task: NamedTask | undefined = test; task; task = task.suite) names.unshift(task.name);
  return [...(file === undefined ? [] : [file]), ...names].join(' > ');
}
