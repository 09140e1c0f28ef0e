import { databaseOptions } from './database.ts';
import { readSettings } from './settings.ts';

/** What the command `mikro-orm` reads. */
export default databaseOptions(readSettings());
