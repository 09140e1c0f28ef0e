/** The JSX runtime of server-rendered components. */
export * from './core/html/jsx.js';
