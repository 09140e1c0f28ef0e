import type { EntitySchema } from '@mikro-orm/core';
import { mikroOrm } from '../orm/mikro-orm.js';

/** One write to one entity. */
export interface VersionRow {
  id: number;
  entity: string;
  objectId: string;
  version: number;
  action: string;
  /** Language of the translated fields in `data`. */
  locale: string | null;
  user: string | null;
  at: Date;
  data: unknown;
}

export const versionName = 'StoredVersion';

/** Creates the schema of the table of versions. */
export function createVersionSchema(tableName: string): EntitySchema<VersionRow> {
  return new mikroOrm.EntitySchema<VersionRow>({
    name: versionName,
    tableName,
    uniques: [{ properties: ['entity', 'objectId', 'version'] }],
    properties: {
      id: { type: 'integer', primary: true, autoincrement: true },
      entity: { type: 'string', length: 150 },
      objectId: { type: 'string', length: 150 },
      version: { type: 'integer' },
      action: { type: 'string', length: 10 },
      locale: { type: 'string', length: 35, nullable: true },
      user: { type: 'string', fieldName: 'username', length: 255, nullable: true },
      at: { type: 'datetime', fieldName: 'logged_at', length: 6 },
      data: { type: 'json', nullable: true },
    },
  });
}
