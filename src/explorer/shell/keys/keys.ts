import { signal } from '@preact/signals';
import { readStored, store } from '../stored.js';

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
