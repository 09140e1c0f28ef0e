import type { EntitySchema } from '@mikro-orm/core';
import { mikroOrm } from '../orm/mikro-orm.js';

/** One value of one field in one language. */
export interface TranslationRow {
  entity: string;
  objectId: string;
  locale: string;
  field: string;
  value: string | null;
}

export const translationName = 'StoredTranslation';

/** Creates the schema of the table of translations. */
export function createTranslationSchema(tableName: string): EntitySchema<TranslationRow> {
  return new mikroOrm.EntitySchema<TranslationRow>({
    name: translationName,
    tableName,
    properties: {
      entity: { type: 'string', primary: true, length: 150 },
      objectId: { type: 'string', primary: true, length: 150 },
      locale: { type: 'string', primary: true, length: 35 },
      field: { type: 'string', primary: true, length: 100 },
      value: { type: 'text', nullable: true },
    },
  });
}
