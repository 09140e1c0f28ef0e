import { type App, HttpResponse } from 'lookback';
import { html } from 'lookback/html';
import type { Database } from './database.ts';
import { page } from './layout.ts';
import { type Note, NoteSchema } from './note.ts';

/** The pages of notes: a list with a form, and one page for each note. */
export function addNotePages(app: App, database: Database): void {
  const showList = async (notes: Promise<Note[]>, problem?: string): Promise<HttpResponse> =>
    page(
      'Notes',
      html`<form method="post" action="/">
          ${problem === undefined ? '' : html`<p role="alert">${problem}</p>`}
          <p>
            <label>Title <input name="title" maxlength="200" required /></label>
          </p>
          <p>
            <label>Text <textarea name="text"></textarea></label>
          </p>
          <button>Add</button>
        </form>
        <ul>
          ${(await notes).map((note) => html`<li><a href="/notes/${note.id}">${note.title}</a></li>`)}
        </ul>`,
      problem === undefined ? 200 : 422,
    );
  const newest = (em: Database['orm']['em']): Promise<Note[]> =>
    em.find(NoteSchema, {}, { orderBy: { id: 'desc' }, limit: 50 });

  app.get('/', ({ request }) => showList(newest(database.entityManager(request))), { name: 'notes' });

  app.post(
    '/',
    async ({ request, url }) => {
      const em = database.entityManager(request);
      const form = await request.form();
      const title = form.get('title')?.trim() ?? '';
      if (title === '' || title.length > 200)
        return showList(newest(em), 'A note needs a title of at most 200 characters.');
      const note = em.create(NoteSchema, { title, text: form.get('text') ?? '' });
      await em.flush();
      return HttpResponse.redirect(url('note', { id: note.id }), { status: 303 });
    },
    { name: 'note_add' },
  );

  app.get(
    '/notes/{id}',
    async ({ request, params }) => {
      const note = await database.entityManager(request).findOneOrFail(NoteSchema, Number(params.id));
      return page(
        note.title,
        html`<p>${note.text}</p>
          <p><a href="/">All notes</a></p>`,
      );
    },
    { name: 'note', requirements: { id: '\\d{1,9}' } },
  );
}
