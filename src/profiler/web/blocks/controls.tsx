import type { ComponentChildren, VNode } from 'preact';

/** Line icons: SVG path data on a 24 × 24 grid, to be stroked, not filled. */
export const icons = {
  theme: 'M12 3v18M12 3a9 9 0 0 1 0 18M12 3a9 9 0 0 0 0 18',
  sun: 'M12 8a4 4 0 1 0 .01 0zM12 2.5v2m0 15v2M2.5 12h2m15 0h2M5.3 5.3l1.4 1.4m10.6 10.6 1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  command:
    'M9 9h6v6H9zM9 9H6.5A2.5 2.5 0 1 1 9 6.5zm6 0V6.5A2.5 2.5 0 1 1 17.5 9zm0 6h2.5a2.5 2.5 0 1 1-2.5 2.5zm-6 0v2.5A2.5 2.5 0 1 1 6.5 15z',
  ok: 'M5 12.5 10 17.5 19 7',
  info: 'M12 3a9 9 0 1 0 .01 0zM12 11v5.5m0-9v.2',
  warn: 'M12 3a9 9 0 1 0 .01 0zM12 7.5v5.5m0 3v.2',
  error: 'M12 3a9 9 0 1 0 .01 0zM8.8 8.8l6.4 6.4m0-6.4-6.4 6.4',
  pending: 'M12 3a9 9 0 1 0 .01 0zM7.5 12h.2m4.2 0h.2m4.2 0h.2',
} as const;

/** A decorative icon drawn from SVG path data, hidden from screen readers. */
export function Icon({ path }: { path: string }): VNode {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

/** A form that runs an action, with one button and additional fields. */
export function ActionForm(props: {
  readonly action: string;
  readonly label: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly buttonClass?: string;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <form method="post" action={props.action}>
      {Object.entries(props.fields ?? {}).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {props.children}
      <button type="submit" class={props.buttonClass}>
        {props.label}
      </button>
    </form>
  );
}
