import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { closeNotice, keepActions, type Notice, notices, spoken } from '../model/notices.js';
import { route } from '../model/route.js';
import { Icon, IconButton } from '../parts/icon.js';

/** The notices over the content, and the one polite region for screen readers. */
export function Notices(): ComponentChildren {
  const { tab } = route.value;
  useEffect(() => keepActions, [tab]);
  return (
    <section class="notices" aria-label="Notices">
      <div role="status" aria-live="polite">
        <span class="unseen">{spoken.value}</span>
        {linesOf('done')}
      </div>
      {linesOf('error')}
    </section>
  );
}

function linesOf(kind: Notice['kind']) {
  return notices.value.filter((one) => one.kind === kind).map((one) => <NoticeLine key={one.id} notice={one} />);
}

function NoticeLine({ notice: { id, kind, text, action } }: { readonly notice: Notice }) {
  return (
    <div class={`notice line ${kind === 'error' ? 'bad' : 'good'}`} role={kind === 'error' ? 'alert' : undefined}>
      <Icon name={kind === 'error' ? 'error' : 'check'} />
      <span>{text}</span>
      {action && (
        <button
          type="button"
          onClick={() => {
            closeNotice(id);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      {(action || kind === 'error') && (
        <IconButton icon="close" label="Close the notice" onClick={() => closeNotice(id)} />
      )}
    </div>
  );
}
