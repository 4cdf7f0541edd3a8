import type { Signal } from '@preact/signals';

/** From how many entities on the name of the table has to be typed. Ours: fewer are soon made again. */
export const confirmedAbove = 1000;

/** A field in which the name of the table has to be typed. */
export function ConfirmName({ name, typed }: { readonly name: string; readonly typed: Signal<string> }) {
  return (
    <div class="stack">
      <label for="confirm-name">Type the name of the table, {name}</label>
      <input
        id="confirm-name"
        autocomplete="off"
        value={typed.value}
        onInput={({ currentTarget }) => (typed.value = currentTarget.value)}
      />
    </div>
  );
}
