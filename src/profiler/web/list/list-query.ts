import type { ProfileQuery } from '../../model/profile-query.js';
import { type ListFilters, periodOf } from './list-filters.js';

/** The filters as the store takes them. */
export function listQuery(filters: ListFilters, now: number): ProfileQuery {
  const period = periodOf(filters.within);
  return {
    bucket: filters.own === '1' ? 'profiler' : 'app',
    limit: filters.limit === '' ? DEFAULT_LIMIT : Number(filters.limit),
    ...(filters.method === '' ? {} : { method: filters.method }),
    ...(filters.status === '' ? {} : { status: filters.status }),
    ...(filters.url === '' ? {} : { url: filters.url }),
    ...(filters.route === '' ? {} : { route: filters.route }),
    ...(filters.ip === '' ? {} : { ip: filters.ip }),
    ...(filters.thrown === '1' ? { exception: true } : {}),
    ...(period === undefined ? {} : { start: now - period }),
    ...(filters.before === '' ? {} : { before: filters.before }),
  };
}

const DEFAULT_LIMIT = 50;
