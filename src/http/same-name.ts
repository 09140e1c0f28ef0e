/** Compares names of fields without case. Most differ in length or first letter, whose case is the bit of 32. */
export function sameName(left: string, right: string): boolean {
  if (left === right) return true;
  if (left.length !== right.length || (left.charCodeAt(0) | 32) !== (right.charCodeAt(0) | 32)) return false;
  return left.toLowerCase() === right.toLowerCase();
}
