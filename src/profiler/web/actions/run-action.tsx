import type { VNode } from 'preact';
import type { FormBody, HttpRequest } from '#http';
import { HttpResponse } from '#http';
import { say } from '../../words/say.js';
import { protectResponse } from '../access/protect-response.js';
import { Missing } from '../lookup/missing.js';
import { ActionForm } from '../blocks/action-form.js';
import { renderShell } from '../shell/shell.js';
import { foreignForm, formTokenField } from '../site/form-token.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { missStyles } from '../styles/profiler-styles.js';

/** Runs the action of a form after verifying that a profiler page sent it from this browser; otherwise throws `Missing`. */
export async function runAction(
  request: HttpRequest,
  act: (form: FormBody) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const form = await request.form().catch(() => undefined);
  const reason =
    form === undefined
      ? say('it is no form that can be read')
      : foreignForm(request, form.get(formTokenField));
  if (form !== undefined && reason === undefined) return act(form);
  const detail = say(
    'Nothing was done: {reason}. Go back to the page, load it again, and submit its form again.',
    { reason: reason ?? '' },
  );
  throw new Missing({ status: 403, kind: 'foreign-form', title: say('The form was refused'), detail });
}

/** Redirects to a profiler page with 303. */
export function seeOther(location: string): HttpResponse {
  return protectResponse(new HttpResponse(null, { status: 303, headers: { Location: location } }));
}

/** Renders the confirmation page of an action. */
export function confirmAction(
  site: ProfilerSite,
  confirmation: {
    readonly title: string;
    readonly text: VNode;
    readonly action: string;
    readonly label: string;
    readonly back: string;
    readonly choices?: VNode;
  },
): HttpResponse {
  const content = (
    <div class="miss">
      <h1>{confirmation.title}</h1>
      {confirmation.text}
      <div class="actions">
        <ActionForm
          action={confirmation.action}
          label={confirmation.label}
          fields={{ confirmed: '1' }}
          buttonClass="button primary"
        >
          {confirmation.choices}
        </ActionForm>
        <a class="button" href={confirmation.back}>
          {say('Cancel')}
        </a>
      </div>
    </div>
  );
  return renderShell(content, {
    title: confirmation.title,
    links: site.links,
    styles: [missStyles],
    isAction: true,
  });
}
