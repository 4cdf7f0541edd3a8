import { effect, signal } from '@preact/signals';

/**
 * Reads a value from the storage of this browser. A value that `check` rejects, such as one of another version, counts as
 * missing, so that nothing stored can break the page.
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

const themes = ['auto', 'light', 'dark'] as const;

/** How the page looks: as the system wishes, or as the user does. */
export type Theme = (typeof themes)[number];

/** The theme that is shown. */
export const theme = signal<Theme>('auto');

/** Shows the stored theme, and stores each choice. Call it once. */
export function startTheme(): void {
  theme.value = readStored('theme', isTheme) ?? 'auto';
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    store('theme', theme.value);
  });
}

/** Goes to the next theme. */
export function turnTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'auto';
}

function isTheme(value: unknown): value is Theme {
  return themes.some((one) => one === value);
}

/**
 * Whether single letters do something wherever the focus is. Users of speech input switch them off, because each word would be
 * many of them. WCAG 2.2 asks for this in its success criterion 2.1.4.
 */
export const areLettersOn = signal(readStored('letters', (value) => typeof value === 'boolean') ?? true);

/** Switches single letters on or off, and stores the choice. */
export function switchLetters(isOn: boolean): void {
  areLettersOn.value = isOn;
  store('letters', isOn);
}

/** Returns whether a key is a single letter that is not written into a field, and that may do something. */
export function isLetter(event: KeyboardEvent): boolean {
  return areLettersOn.value && !event.ctrlKey && !event.metaKey && !event.altKey && !isWriting(event);
}

/** Returns whether a key goes into a field, where a letter is a letter. */
function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement && target.matches('input,textarea,select,[contenteditable],[contenteditable] *');
}
