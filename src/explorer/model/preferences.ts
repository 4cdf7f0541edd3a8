import { signal } from '@preact/signals';

/**
 * Reads a value from the storage of this browser, or of its tab. A value that `check` rejects, such as one of another version, counts as
 * missing, so that stored data cannot break the page.
 */
export function readStored<Value>(
  name: string,
  check: (value: unknown) => value is Value,
  storage = localStorage,
): Value | undefined {
  try {
    const value: unknown = JSON.parse(storage.getItem(`tabularium.${name}`) ?? 'null');
    return check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Stores a value under a name, if the browser allows it. */
export function store(name: string, value: unknown, storage = localStorage): void {
  try {
    storage.setItem(`tabularium.${name}`, JSON.stringify(value));
  } catch {
    // The browser is full, or it stores nothing for this page.
  }
}

/**
 * Whether single letters are shortcuts wherever the focus is. Users of speech input switch them off, because each word would
 * trigger many. WCAG 2.2 requires this in its success criterion 2.1.4.
 */
export const areLettersOn = signal(readStored('letters', (value) => typeof value === 'boolean') ?? true);

/** Switches single letters on or off, and stores the choice. */
export function switchLetters(isOn: boolean): void {
  areLettersOn.value = isOn;
  store('letters', isOn);
}

/** Returns whether a key is a possible shortcut: a single letter outside of fields, unless letters are switched off. */
export function isLetter(event: KeyboardEvent): boolean {
  return areLettersOn.value && !event.ctrlKey && !event.metaKey && !event.altKey && !isWriting(event);
}

/** Returns whether a key is typed into a field. */
function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && target.matches('input,textarea,select,[contenteditable],[contenteditable] *');
}
