import type { ComponentChildren } from 'preact';
import { commandLine } from '../../command-line.js';
import { CopiedText } from '../parts/copy.js';

/** A part of the tab: its purpose, the equivalent command line, and its controls. */
export function Section(props: {
  readonly title: string;
  readonly about: string;
  readonly command: string;
  readonly children: ComponentChildren;
}) {
  const { title, about, command, children } = props;
  const id = `state-${title.toLowerCase()}`;
  return (
    <section class="card" aria-labelledby={id}>
      <header class="line">
        <h2 id={id}>{title}</h2>
        <CopiedText text={commandLine(command, location.origin)} label={`the command line for ${title}`} />
      </header>
      <p>{about}</p>
      {children}
    </section>
  );
}

/** A choice of a state: a snapshot, or the current state of an account. */
export function StateChoice(props: {
  readonly name: string;
  readonly label: string;
  readonly states: readonly string[];
  readonly chosen: string | undefined;
}) {
  const { name, label, states, chosen } = props;
  return (
    <label>
      {label}{' '}
      <select name={name}>
        {states.map((state) => (
          <option key={state} selected={state === chosen}>
            {state}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Returns the time of day of an instant, in the time zone of the user; with the date if it is another day. */
export function showTime(instant: string): string {
  const time = new Date(instant);
  const day = time.toDateString() === new Date().toDateString() ? '' : `${time.toLocaleDateString('sv')} `;
  return `${day}${time.toLocaleTimeString('en-GB')}`;
}
