import { type App, type ControllerContext, HttpResponse } from 'lookback';
import { emptyForm, readForm, type ReceivedForm } from 'lookback/controller';
import { html, type SafeHtml } from 'lookback/html';
import { z } from 'zod';
import type { Database } from './database.ts';
import { page } from './layout.ts';
import { type Note, NoteSchema } from './note.ts';

const NewNote = z.object({
  title: z.string().trim().min(1, 'A note needs a title.').max(200, 'Use at most 200 characters.'),
  text: z.string().max(10_000, 'Use at most 10,000 characters.').default(''),
});

/** The form for a new note, with the submitted values and their problems if it was sent before. */
function noteForm({ values, errors }: ReceivedForm, action: string): SafeHtml {
  const problem = (name: string): SafeHtml =>
    html`<span id="${name}-error" role="alert">${errors[name]}</span>`;
  return html`<form method="post" action="${action}" novalidate>
    <p>
      <label>Title <input name="title" value="${values['title']}" aria-describedby="title-error" /></label>
      ${problem('title')}
    </p>
    <p>
      <label>Text <textarea name="text" aria-describedby="text-error">${values['text']}</textarea></label>
      ${problem('text')}
    </p>
    <button>Add</button>
  </form>`;
}

/** Pages for notes: a list with a form, and one page per note. */
export function addNotePages(app: App, database: Database): void {
  const newest = (em: Database['orm']['em']): Promise<Note[]> =>
    em.find(NoteSchema, {}, { orderBy: { id: 'desc' }, limit: 50 });
  const list = (notes: readonly Note[], form: ReceivedForm, url: ControllerContext['url']): SafeHtml =>
    html`${noteForm(form, url('note_add'))}
      <ul>
        ${notes.map(({ id, title }) => html`<li><a href="${url('note', { id })}">${title}</a></li>`)}
      </ul>`;

  app.get(
    '/',
    async ({ request, url }) => {
      const notes = await newest(database.entityManager(request));
      return page('Notes', list(notes, emptyForm(), url));
    },
    { name: 'notes' },
  );

  app.post(
    '/',
    async ({ request, url }) => {
      const em = database.entityManager(request);
      const form = await readForm(request, NewNote);
      if (form.data === undefined) return page('Notes', list(await newest(em), form, url), 422);
      const note = em.create(NoteSchema, form.data);
      await em.flush();
      return HttpResponse.redirect(url('note', { id: note.id }), { status: 303 });
    },
    { name: 'note_add' },
  );

  app.get(
    '/notes/{id}',
    async ({ request, params, url }) => {
      const note = await database.entityManager(request).findOneOrFail(NoteSchema, Number(params.id));
      return page(
        note.title,
        html`<p>${note.text}</p>
          <p><a href="${url('notes')}">All notes</a></p>`,
      );
    },
    { name: 'note', requirements: { id: '\\d{1,9}' } },
  );
}
