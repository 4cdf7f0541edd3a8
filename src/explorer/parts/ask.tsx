import { signal } from '@preact/signals';
import { Dialog } from './dialog.js';

/** What the user is asked, and who waits for the answer. */
interface Question {
  readonly title: string;
  readonly text: string;
  readonly yes: string;
  readonly answer: (sure: boolean) => void;
}

const question = signal<Question | undefined>(undefined);

/** Asks the user before something is removed. Returns whether the user is sure. */
export function ask(title: string, text: string, yes: string): Promise<boolean> {
  question.value?.answer(false);
  return new Promise((answer) => {
    question.value = { title, text, yes, answer };
  });
}

/** The dialog of `ask`. The page has one. */
export function Ask() {
  if (!question.value) return null;
  const { title, text, yes, answer } = question.value;
  const close = (sure: boolean) => {
    question.value = undefined;
    answer(sure);
  };
  return (
    <Dialog label={title} onClose={() => close(false)}>
      <h2>{title}</h2>
      <p>{text}</p>
      <div class="actions">
        <button type="button" autofocus onClick={() => close(false)}>
          Cancel
        </button>
        <button type="button" class="danger" onClick={() => close(true)}>
          {yes}
        </button>
      </div>
    </Dialog>
  );
}
