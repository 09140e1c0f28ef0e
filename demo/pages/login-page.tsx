import type { VNode } from 'preact';
import type { TextKey } from '../languages.js';
import { text } from '../languages.js';
import { Field } from './field.js';
import { CsrfField } from './frame.js';

const problems: ReadonlyMap<string, TextKey> = new Map([
  ['credentials', 'wrongLogin'],
  ['malformed', 'wrongLogin'],
  ['throttled', 'tooManyLogins'],
]);

/** The form that `formLogin` reads. `error` is the reason that it came back with. */
export function LoginPage(props: { readonly error: string | null; readonly csrfToken: string }): VNode {
  const { error, csrfToken } = props;
  return (
    <>
      <h1>{text('login')}</h1>
      {error !== null && (
        <p class="notice err" role="alert">
          {text(problems.get(error) ?? 'failedLogin')}
        </p>
      )}
      <form class="fields" method="post">
        <CsrfField token={csrfToken} />
        <Field name="_username" label={text('name')} autocomplete="username" />
        <Field name="_password" label={text('password')} type="password" autocomplete="current-password" />
        <label class="tick">
          <input type="checkbox" name="_remember_me" /> {text('remember')}
        </label>
        <p>
          <button class="button primary">{text('login')}</button>
        </p>
      </form>
      <p class="hint">{text('usersHint')}</p>
    </>
  );
}
