import type { VNode } from 'preact';
import { text } from '../languages.js';
import { Field } from './field.js';

/** The visitor's input, and its problems by field. */
export interface Draft {
  readonly name: string;
  readonly message: string;
  readonly problems: ReadonlyMap<string, string>;
}

interface MessageFormProps {
  readonly draft: Draft;
  readonly action: string;
}

/** The form for a message to the editors. */
export function MessageForm({ draft, action }: MessageFormProps): VNode {
  const { name, message, problems } = draft;
  return (
    <>
      <h1>{text('write')}</h1>
      {problems.size > 0 && (
        <p class="notice err" role="alert">
          {text('problem')}
        </p>
      )}
      <form class="fields" method="post" action={action}>
        <Field
          name="name"
          label={text('yourName')}
          autocomplete="name"
          value={name}
          problem={problems.get('name')}
        />
        <Field
          name="message"
          label={text('yourMessage')}
          rows={5}
          value={message}
          problem={problems.get('message')}
        />
        <p>
          <button class="button primary">{text('send')}</button>
        </p>
      </form>
    </>
  );
}

export function MessageThanks({ name, count }: { readonly name: string; readonly count: number }): VNode {
  return (
    <>
      <h1>{text('thanks', { name })}</h1>
      <p>{text('arrived', { count })}</p>
    </>
  );
}
