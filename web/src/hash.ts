/** A short name of a text: 31 bits of FNV-1a, in base 36. */
export function hash(text: string): string {
  let sum = 0x811c9dc5;
  for (const c of text) sum = Math.imul(sum ^ c.codePointAt(0)!, 0x01000193);
  return (sum >>> 1).toString(36);
}
