import type { ControllerContext, HttpResponse } from 'lookback';
import { html } from 'lookback/html';
import { page } from './page.js';

/** What a visitor typed, and what is wrong with it by field. */
interface Draft {
  readonly name: string;
  readonly message: string;
  readonly problems: ReadonlyMap<string, string>;
}

const empty: Draft = { name: '', message: '', problems: new Map() };

/** The form for a message to the editors. */
export function showMessageForm(context: ControllerContext): HttpResponse {
  return formPage(context, empty);
}

/** Takes the message, or shows the form again with what is wrong and nothing lost. */
export async function receiveMessage(context: ControllerContext): Promise<HttpResponse> {
  const form = await context.request.form();
  const [name, message] = [form.get('name') ?? '', form.get('message') ?? ''];
  const problems = new Map<string, string>();
  if (name.trim() === '') problems.set('name', 'Please give your name.');
  if (message.trim().length < 10) problems.set('message', 'Please write at least ten characters.');
  if (problems.size > 0) return formPage(context, { name, message, problems });
  context.log.info('A message arrived.', { name, length: message.length });
  return page(
    'Thank you',
    html`<main>
      <h1>Thank you, ${name}</h1>
      <p>Your message of ${message.length} characters arrived.</p>
    </main>`,
  );
}

function formPage(context: ControllerContext, draft: Draft): HttpResponse {
  const problem = (field: string): ReturnType<typeof html> =>
    draft.problems.has(field)
      ? html`<span class="problem" id="${field}-problem">${draft.problems.get(field)}</span>`
      : html``;
  const content = html`<main>
    <h1>Write to the editors</h1>
    <form method="post" action="${context.url('message')}">
      <label
        >Your name
        <input
          name="name"
          autocomplete="name"
          value="${draft.name}"
          aria-describedby="name-problem"
        />${problem('name')}</label
      >
      <label
        >Your message
        <textarea name="message" rows="5" aria-describedby="message-problem">${draft.message}</textarea
        >${problem('message')}</label
      >
      <button>Send</button>
    </form>
  </main>`;
  return page('Write to the editors', content, draft.problems.size > 0 ? 422 : 200);
}
