/**
 * Reads what this browser has stored under a name. A value that `check` refuses, as one of another version, is as if there were
 * none, so that nothing stored can break the page.
 */
export function readStored<Value>(name: string, check: (value: unknown) => value is Value): Value | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(`tabularium.${name}`) ?? 'null');
    return check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value under a name. A browser that stores nothing loses it when the page is closed. */
export function store(name: string, value: unknown): void {
  try {
    localStorage.setItem(`tabularium.${name}`, JSON.stringify(value));
  } catch {
    // The browser is full, or it stores nothing for this page.
  }
}
