import { createLocale } from '#locale';
import { createSecurity } from '#security';
import type { AppOptions } from '../app/app-options.js';
import type { Extension } from '../app/extension.js';
import { noPersistence } from './no-persistence.js';

/** The extensions of an application: those it was given, and what stands in for those it was not. */
export function appExtensions(options: AppOptions): Extension[] {
  return [
    options.persistence ?? noPersistence(),
    options.locale ?? createLocale({ enabled: ['en'], contentLanguage: false }),
    options.security ?? createSecurity({ sessions: false }),
    ...(options.extensions ?? []),
  ];
}
