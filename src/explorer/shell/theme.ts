import { effect, signal } from '@preact/signals';
import { readStored, store } from './stored.js';

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
