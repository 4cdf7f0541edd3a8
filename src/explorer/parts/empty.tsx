import type { ComponentChildren } from 'preact';

/** What is shown in place of nothing: what would be here, and what to do so that there is something. */
export function Empty({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
