/** Returns the path of a source that is newer than the build; undefined if there is none, and an empty path if nothing was built. */
export function newerSource(): string | undefined;

/** Returns the path of a built file. Errors: if a source is newer than the build. */
export function builtFile(path: string): string;
