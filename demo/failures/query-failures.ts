import type { Services } from '../services.js';
import type { Failure } from './failure.js';

/** Pages that answer, and ask their database too much. */
export function queryFailures({ database }: Services): readonly Failure[] {
  return [
    {
      name: 'n-plus-one',
      title: 'A query for every row',
      look: 'Open the record: the same statement again and again, and where it comes from.',
      run: async ({ request }) =>
        Object.fromEntries(await (await database.journal(request)).countCommentsOneByOne()),
    },
    {
      name: 'slow-query',
      title: 'A slow query',
      look: 'Open the record: nearly all the time is the database’s.',
      run: async ({ request }) => {
        await (await database.journal(request)).countSlowly();
        return 'Counted.\n';
      },
    },
  ];
}
