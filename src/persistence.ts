/** Persistence hooks for MikroORM: translations, timestamps, authorship, versions. */
export * from './framework/persistence.js';
