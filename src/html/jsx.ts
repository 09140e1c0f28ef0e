/**
 * The JSX runtime: `"jsx": "react-jsx", "jsxImportSource": "lookback"` in tsconfig.json. Its elements are preact's, and
 * `renderDocument`, `renderFragment` and `html` render them.
 */
import type * as Preact from 'preact';

export { Fragment, jsx, jsxDEV, jsxs } from 'preact/jsx-runtime';
export type { JSX } from 'preact';

/** An element of JSX, as a component returns it. */
export type VNode = Preact.VNode;

/** What an element may contain: elements, text, numbers, and lists of them. */
export type ComponentChildren = Preact.ComponentChildren;
