/** The project's sign, an arrow that turns back: path data on a 24 × 24 grid, drawn with a stroke and no fill. */
export const brandPath = 'M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3';
