import { type App, HttpResponse } from 'lookback';
import { withSchemas } from 'lookback/controller';
import { z } from 'zod';
import type { Database } from './database.ts';
import { NoteSchema } from './note.ts';

const Id = z.object({ id: z.coerce.number().int().min(1) });
const NewNote = z.object({
  title: z.string().trim().min(1).max(200),
  text: z.string().max(10_000).default(''),
});
const Search = z.object({
  search: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
});
const Note = z.object({ id: z.number(), title: z.string(), text: z.string(), createdAt: z.date() });

/** Routes for notes. Invalid input is answered with 422 and the reason, a missing note with 404. */
export function addNotes(app: App, database: Database): void {
  app.get(
    '/notes',
    withSchemas({ query: Search, response: z.array(Note) }, ({ query, request }) =>
      database
        .entityManager(request)
        .find(NoteSchema, query.search === undefined ? {} : { title: { $like: `%${query.search}%` } }, {
          orderBy: { id: 'desc' },
          limit: query.limit,
        }),
    ),
    { name: 'notes' },
  );

  app.post(
    '/notes',
    withSchemas({ body: NewNote, response: Note, status: 201 }, async ({ body, request }) => {
      const em = database.entityManager(request);
      const note = em.create(NoteSchema, body);
      await em.flush();
      return note;
    }),
    { name: 'note_add' },
  );

  app.get(
    '/notes/{id}',
    withSchemas({ params: Id, response: Note }, ({ params, request }) =>
      database.entityManager(request).findOneOrFail(NoteSchema, params.id),
    ),
    { name: 'note' },
  );

  app.put(
    '/notes/{id}',
    withSchemas({ params: Id, body: NewNote, response: Note }, async ({ params, body, request }) => {
      const em = database.entityManager(request);
      const note = await em.findOneOrFail(NoteSchema, params.id);
      em.assign(note, body);
      await em.flush();
      return note;
    }),
    { name: 'note_change' },
  );

  app.delete(
    '/notes/{id}',
    withSchemas({ params: Id }, async ({ params, request }) => {
      const em = database.entityManager(request);
      em.remove(await em.findOneOrFail(NoteSchema, params.id));
      await em.flush();
      return HttpResponse.empty();
    }),
    { name: 'note_remove' },
  );
}
