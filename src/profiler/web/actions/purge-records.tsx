import type { HttpRequest, HttpResponse } from '#http';
import type { RecordBucket } from '../../model/profile-record.js';
import { say } from '../../words/say.js';
import { Missing } from '../lookup/missing.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { confirmAction, runAction, seeOther } from './run-action.js';

/** `POST /_profiler/{bucket}/purge`: asks for confirmation first, then deletes all records of the bucket. */
export function purgeRecords(
  site: ProfilerSite,
  request: HttpRequest,
  bucket: RecordBucket,
): Promise<HttpResponse> {
  const back = site.links.list(bucket === 'profiler' ? { own: '1' } : {});
  return runAction(request, async (form) => {
    if (site.reader.purge === undefined)
      throw new Missing({
        status: 409,
        kind: 'read-only',
        title: say('These records can only be read'),
        detail: say('Nothing was deleted.'),
      });
    if (form.has('confirmed')) {
      await site.reader.purge(bucket);
      return seeOther(back);
    }
    const words =
      bucket === 'app'
        ? say('Delete all records of the application?')
        : say('Delete all records of the profiler’s own requests?');
    return confirmAction(site, {
      title: words,
      text: <p>{say('They are deleted for everyone who uses this store, and cannot be restored.')}</p>,
      action: site.links.purge(bucket),
      label: say('Delete the records'),
      back,
    });
  });
}
