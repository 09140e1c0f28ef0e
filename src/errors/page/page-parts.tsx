import type { ComponentChildren, VNode } from 'preact';
import { brandPath } from '#html';
import { pageText } from './error-page-text.js';

const paths = {
  back: brandPath as string, // an exported key list needs each type written
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  record: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 8v4l3 2',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  theme: 'M12 3v18M12 3a9 9 0 0 1 0 18M12 3a9 9 0 0 0 0 18',
  refusal: 'M12 3a9 9 0 1 0 .01 0zM12 7.5v5.5m0 3v.2',
  fault: 'M12 3a9 9 0 1 0 .01 0zM8.8 8.8l6.4 6.4m0-6.4-6.4 6.4',
  hint: 'M9.5 18h5M10.5 21h3M12 3a6 6 0 0 0-3.5 10.9V16h7v-2.1A6 6 0 0 0 12 3',
};

/** The page's drawings; a word always stands beside them. */
export type IconName = keyof typeof paths;

/** A drawing of 16 px in the colour of the text around it, unseen by screen readers. */
export function ErrorPageIcon({ name }: { name: IconName }): VNode {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}

/** A part of the page under a heading that names it. */
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

/** How many were left out, where any were. */
export function LeftOut({ n = 0, phrase }: { n: number | undefined; phrase: LeftOutPhrase }): VNode | null {
  return n > 0 ? <p class="frame-note">{pageText(phrase, { n })}</p> : null;
}

type LeftOutPhrase = Extract<Parameters<typeof pageText>[0], `${string}{n}${string}`>;

/** A long text that is not the page's own, to be scrolled and selected. */
export function ForeignText(props: { name: string; id?: string; children: string }): VNode {
  const { name, id, children } = props;
  return (
    <pre class="plain" id={id} tabIndex={0} role="group" aria-label={name}>
      {children}
    </pre>
  );
}
