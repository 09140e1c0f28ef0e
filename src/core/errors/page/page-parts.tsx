import type { ComponentChildren, VNode } from 'preact';
import { say } from '#core/phrases';

export function PageSection(props: {
  id: string;
  title: string;
  /** A figure next to the title. */
  count?: number;
  /** The title is only for screen readers. */
  isHidden?: boolean;
  children: ComponentChildren;
}): VNode {
  const { id, title, count, isHidden, children } = props;
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} class={isHidden === true ? 'visually-hidden' : undefined}>
        {title}
        {count !== undefined && [' ', <span class="count">{count}</span>]}
      </h2>
      {children}
    </section>
  );
}

/** A note with the number of omitted items; renders nothing if none were omitted. */
export function OmittedNote({ n = 0, phrase }: { n: number | undefined; phrase: string }): VNode | null {
  return n > 0 ? <p class="frame-note">{say(phrase, { n })}</p> : null;
}

/** Long text from outside the page, in a scrollable, focusable block. */
export function ForeignText(props: { name: string; id?: string; children: string }): VNode {
  const { name, id, children } = props;
  return (
    <pre class="plain" id={id} tabIndex={0} role="group" aria-label={name}>
      {children}
    </pre>
  );
}
