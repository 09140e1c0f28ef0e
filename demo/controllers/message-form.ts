import type { HttpResponse } from 'lookback';
import { text } from '../languages.js';
import type { Draft } from '../pages/message-pages.js';
import { MessageForm, MessageThanks } from '../pages/message-pages.js';
import type { Context } from '../pages/page.js';
import type { Site } from '../site.js';

const minMessageLength = 10;

export interface MessageFormControllers {
  readonly show: (context: Context) => Promise<HttpResponse>;
  readonly receive: (context: Context) => Promise<HttpResponse>;
}

/** The form for a message to the editors. Invalid input is shown again with the problems, and nothing is lost. */
export function createMessageForm(site: Site): MessageFormControllers {
  const formPage = (context: Context, draft: Draft): Promise<HttpResponse> =>
    site.page(context, () => ({
      title: text('write'),
      status: draft.problems.size > 0 ? 422 : 200,
      content: MessageForm({ draft, action: context.url('message_send') }),
    }));
  return {
    show: (context) => formPage(context, { name: '', message: '', problems: new Map() }),
    async receive(context) {
      const form = await context.request.form();
      const [name, message] = [form.get('name') ?? '', form.get('message') ?? ''];
      const problems = new Map<string, string>();
      if (name.trim() === '') problems.set('name', text('nameMissing'));
      if (message.trim().length < minMessageLength)
        problems.set('message', text('tooShort', { count: minMessageLength }));
      if (problems.size > 0) return formPage(context, { name, message, problems });
      context.log.info('A message arrived.', { name, length: message.length });
      return site.page(context, () => ({
        title: text('thanks', { name }),
        content: MessageThanks({ name, count: message.length }),
      }));
    },
  };
}
