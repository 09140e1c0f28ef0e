import { EntitySchema, type Opt } from '@mikro-orm/core';
import { defineBehaviours } from 'lookback/persistence';

export interface Note {
  id: number & Opt;
  title: string;
  text: string;
  createdAt: Date & Opt;
}

export const NoteSchema = new EntitySchema<Note>({
  name: 'Note',
  properties: {
    id: { type: 'number', primary: true },
    title: { type: 'string' },
    text: { type: 'text' },
    createdAt: { type: 'Date' },
  },
});

defineBehaviours(NoteSchema, { timestampable: { createdAt: 'create' } });
