import type { CollectedSection } from '../section.js';
import { headerWrites } from '../../recording/create-recording-observer.js';
import { headersDefinition } from './section.js';

/** Creates the `headers` collector, which records who set which response header. */
export function createHeaderCollector(): CollectedSection {
  return {
    definition: headersDefinition,
    collect({ request }): string | undefined {
      return request.scope.getOwn(headerWrites)?.text || undefined;
    },
  };
}
