/** The JSX runtime for server-rendered components. */
export * from './core/html/jsx.js';
