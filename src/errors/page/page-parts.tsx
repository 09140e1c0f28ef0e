import type { ComponentChildren, VNode } from 'preact';
import { brandPath } from '#html';
import { pageText } from './error-page-text.js';

const paths = {
  back: brandPath as string, // isolated declarations need an explicit type for each property
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  record: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8v4l3 2',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  theme: 'M12 3v18M12 3a9 9 0 0 1 0 18M12 3a9 9 0 0 0 0 18',
  refusal: 'M12 3a9 9 0 1 0 .01 0zM12 7.5v5.5m0 3v.2',
  fault: 'M12 3a9 9 0 1 0 .01 0zM8.8 8.8l6.4 6.4m0-6.4-6.4 6.4',
  hint: 'M9.5 18h5M10.5 21h3M12 3a6 6 0 0 0-3.5 10.9V16h7v-2.1A6 6 0 0 0 12 3',
};

/** Names of the page's icons. Icons are decorative: text next to them says the same. */
export type IconName = keyof typeof paths;

/** A 16 px icon in the current text colour, hidden from screen readers. */
export function ErrorPageIcon({ name }: { name: IconName }): VNode {
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
  count?: number;
  children: ComponentChildren;
}): VNode {
  const { id, title, count, children } = props;
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title}
        {count !== undefined && [' ', <span class="count">{count}</span>]}
      </h2>
      {children}
    </section>
  );
}

/** A note with the number of omitted items; renders nothing if none were omitted. */
export function OmittedNote({
  n = 0,
  phrase,
}: {
  n: number | undefined;
  phrase: OmittedPhrase;
}): VNode | null {
  return n > 0 ? <p class="frame-note">{pageText(phrase, { n })}</p> : null;
}

type OmittedPhrase = Extract<Parameters<typeof pageText>[0], `${string}{n}${string}`>;

/** Long text from outside the page, in a scrollable, focusable block. */
export function ForeignText(props: { name: string; id?: string; children: string }): VNode {
  const { name, id, children } = props;
  return (
    <pre class="plain" id={id} tabIndex={0} role="group" aria-label={name}>
      {children}
    </pre>
  );
}
