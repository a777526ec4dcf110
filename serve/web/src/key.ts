/**
 * The key of a text in the dictionaries as they are loaded, which need not hold the English too: FNV-1a, 32 bits. The
 * build sees to it that no two texts have one key.
 */
export function keyOf(text: string): string {
	let h = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	return (h >>> 0).toString(36);
}
