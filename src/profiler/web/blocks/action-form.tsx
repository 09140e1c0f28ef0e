import type { ComponentChildren, VNode } from 'preact';
import { currentFormToken, formTokenField } from '../site/form-token.js';

/** A form that starts an action: one button, the CSRF token, and further fields. */
export function ActionForm(props: {
  readonly action: string;
  readonly label: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly buttonClass?: string;
  /** Accessible name of the button if its label is a symbol. */
  readonly name?: string;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <form method="post" action={props.action}>
      <input type="hidden" name={formTokenField} value={currentFormToken()} />
      {Object.entries(props.fields ?? {}).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {props.children}
      <button type="submit" class={props.buttonClass} aria-label={props.name}>
        {props.label}
      </button>
    </form>
  );
}
