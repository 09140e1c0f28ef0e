import type { Services } from '../services.js';
import type { Failure } from './failure.js';

/** Pages that succeed, but query the database too often. */
export function queryFailures({ database }: Services): readonly Failure[] {
  return [
    {
      name: 'n-plus-one',
      run: async ({ request }) => Object.fromEntries(await database.journal(request).countCommentsOneByOne()),
    },
    {
      name: 'slow-query',
      run: async ({ request }) => {
        await database.journal(request).countSlowly();
        return 'Counted.\n';
      },
    },
  ];
}
