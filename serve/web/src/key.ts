/**
 * Returns the key of a text in the dictionaries: its FNV-1a hash of 32 bits. Because pages look up
 * texts by key, the dictionaries that they load need not contain the English texts. The build fails
 * if two texts have the same key.
 */
export function keyOf(text: string): string {
	let h = 0x811c9dc5;
	for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
	return (h >>> 0).toString(36);
}
