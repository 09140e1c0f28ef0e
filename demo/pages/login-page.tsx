import type { VNode } from 'preact';
import type { KeptText } from '../kept-text.js';
import { hiddenFields } from '../kept-text.js';
import type { TextKey } from '../languages.js';
import { text } from '../languages.js';
import { Field } from './field.js';

const problems: ReadonlyMap<string, TextKey> = new Map([
  ['credentials', 'wrongLogin'],
  ['malformed', 'wrongLogin'],
  ['throttled', 'tooManyLogins'],
]);

interface LoginPageProps {
  readonly action: string;
  /** The reason for a failed login. */
  readonly error: string | null;
  readonly name: string;
  /** Text from another form, carried through the login. */
  readonly kept: KeptText | 'too long' | undefined;
}

/** The form that `formLogin` reads. */
export function LoginPage({ action, error, name, kept }: LoginPageProps): VNode {
  return (
    <>
      <h1>{text('login')}</h1>
      {kept !== undefined && (
        <p class="notice" role="status">
          {text(kept === 'too long' ? 'textTooLong' : 'textKept')}
        </p>
      )}
      {error !== null && (
        <p class="notice err" role="alert">
          {text(problems.get(error) ?? 'failedLogin')}
        </p>
      )}
      <form class="fields" method="post" action={action}>
        {kept !== undefined &&
          kept !== 'too long' &&
          hiddenFields(kept).map(([field, value]) => <input type="hidden" name={field} value={value} />)}
        <Field name="_username" label={text('name')} value={name} autocomplete="username" />
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
