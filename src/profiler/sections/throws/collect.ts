import { errorCode, errorMessage, errorName, throwsIn } from '#core/errors';
import type { CollectedSection } from '../section.js';
import { messageText } from '../message-reader.js';
import { type ThrowsSection, throwsDefinition } from './section.js';

const maxMessageLength = 500;

/** Collects the errors thrown in the application's code as `throws`. */
export const throwsCollector: CollectedSection = {
  definition: throwsDefinition,
  collect({ request, startedAt }): ThrowsSection | undefined {
    const seen = throwsIn(request.scope);
    if (seen === undefined) return undefined;
    const throws = seen.throws.map(({ error, at, ...position }) => ({
      class: errorName(error),
      code: errorCode(error) ?? null,
      message: messageText(errorMessage(error), maxMessageLength),
      offsetMs: Math.max(0, at - startedAt),
      ...position,
    }));
    return { throws, more: seen.more };
  },
};
