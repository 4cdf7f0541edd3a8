import type { ComponentChildren } from 'preact';
import { commandLine } from '../../command-line.js';
import { mayChange } from '../model/session.js';
import { serverRoot } from '../wire/host.js';
import { CopiedText } from './copy.js';
import { IconButton, type IconName } from './icon.js';

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
          <CopiedText text={commandLine(command, serverRoot)} label={`the command line for ${title}`} />
        )}
        {beside}
      </header>
      {about !== undefined && <p>{about}</p>}
      {children}
    </section>
  );
}

/** An item of a section: its name, facts about it, and calls that change it. */
export interface Line {
  readonly key: string;
  readonly name: ComponentChildren;
  readonly facts?: readonly (string | false | undefined)[];
  readonly actions?: readonly LineAction[];
}

/** A button of a line. */
interface LineAction {
  readonly label: string;
  /** In place of the label, which is then for screen readers and the tooltip. */
  readonly icon?: IconName;
  readonly run: () => void;
}

/** The items of a section, one below the other; nothing if there are none. A user who may not change anything gets no buttons. */
export function Lines({ label, lines }: { readonly label: string; readonly lines: readonly Line[] }) {
  if (lines.length === 0) return null;
  return (
    <ul class="things" aria-label={label}>
      {lines.map(({ key, name, facts = [], actions = [] }) => (
        <li key={key}>
          {name}
          <span class="faint">{facts.filter(Boolean).join(' · ')}</span>
          <span class="space" />
          {mayChange.value &&
            actions.map(({ icon, label: words, run }) =>
              icon ? (
                <IconButton key={words} icon={icon} label={words} onClick={run} />
              ) : (
                <button key={words} type="button" onClick={run}>
                  {words}
                </button>
              ),
            )}
        </li>
      ))}
    </ul>
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
