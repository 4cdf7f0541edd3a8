import { type ComponentChildren, toChildArray } from 'preact';
import { commandLine } from '../../command-line.js';
import { CopiedText } from './copy.js';

/** A part of a tab: its title with something beside it, its purpose, the equivalent command line, and its controls. */
export function Section(props: {
  readonly title: string;
  readonly about?: ComponentChildren;
  readonly command?: string;
  readonly beside?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  const { title, about, command, beside, children } = props;
  const id = `section-${title.toLowerCase().replaceAll(' ', '-')}`;
  return (
    <section class="card" aria-labelledby={id}>
      <header class="line">
        <h2 id={id}>{title}</h2>
        {command !== undefined && (
          <CopiedText text={commandLine(command, location.origin)} label={`the command line for ${title}`} />
        )}
        {beside}
      </header>
      {about !== undefined && <p>{about}</p>}
      {children}
    </section>
  );
}

/** The items of a section, one below the other; nothing if there are none. */
export function Things({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  if (toChildArray(children).length === 0) return null;
  return (
    <ul class="things" aria-label={label}>
      {children}
    </ul>
  );
}

/** An item of a section, with its buttons at the end of the line. */
export function Thing({
  children,
  buttons,
}: {
  readonly children: ComponentChildren;
  readonly buttons?: ComponentChildren;
}) {
  return (
    <li>
      {children}
      {buttons && <span class="buttons">{buttons}</span>}
    </li>
  );
}

/** Texts to copy, each below its name. */
export function CopiedFields({
  fields,
}: {
  readonly fields: readonly (readonly [name: string, text: string, label: string])[];
}) {
  return (
    <dl class="strings">
      {fields.map(([name, text, label]) => (
        <div key={label}>
          <dt>{name}</dt>
          <dd>
            <CopiedText text={text} label={label} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Returns the time of day of an instant, in the time zone of the user; with the date if it is another day. */
export function showTime(instant: string): string {
  const time = new Date(instant);
  const day = time.toDateString() === new Date().toDateString() ? '' : `${time.toLocaleDateString('sv')} `;
  return `${day}${time.toLocaleTimeString('en-GB')}`;
}
