/** HTML that escapes by default: templates, components, documents. */
export * from './core/html.js';
