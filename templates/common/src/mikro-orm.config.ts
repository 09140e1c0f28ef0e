import { databaseOptions } from './database.ts';
import { readSettings } from './settings.ts';

/** Configuration for the `mikro-orm` command. */
export default databaseOptions(readSettings());
