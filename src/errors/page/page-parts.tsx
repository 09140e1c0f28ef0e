import type { ComponentChildren, VNode } from 'preact';
import { say } from '#phrases';

const paths = {
  theme: 'M12 3v18M12 3a9 9 0 0 1 0 18M12 3a9 9 0 0 0 0 18',
  hint: 'M9.5 18h5M10.5 21h3M12 3a6 6 0 0 0-3.5 10.9V16h7v-2.1A6 6 0 0 0 12 3',
};

/** A 16 px icon in the current text colour, hidden from screen readers: text next to it says the same. */
export function ErrorPageIcon({ name }: { name: keyof typeof paths }): VNode {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/** A section of the page, labelled by its heading. */
export function PageSection(props: {
  id: string;
  title: string;
  /** A figure beside the title. */
  count?: number;
  /** The title is there for screen readers only. */
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
