import { CreateNotes } from './create-notes.ts';

/** The migrations in their order. A name that has run in production is never changed. */
export const migrations = [{ name: '001-create-notes', class: CreateNotes }];
