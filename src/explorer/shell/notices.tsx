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
    <>
      <div class="unseen" role="status" aria-live="polite">
        {spoken.value}
      </div>
      <section class="notices" aria-label="Notices">
        {notices.value.map((notice) => (
          <NoticeLine key={notice.id} notice={notice} />
        ))}
      </section>
    </>
  );
}

function NoticeLine({ notice: { id, kind, text, action } }: { readonly notice: Notice }) {
  return (
    <div class={`notice line ${kind}`} role={kind === 'error' ? 'alert' : undefined}>
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
