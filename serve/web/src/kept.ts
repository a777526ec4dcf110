// These functions store JSON values in the browser, either for this tab or for all later visits.
// Storage may be disabled or full.

export type Where = "sessionStorage" | "localStorage";

export function kept<T>(name: string, otherwise: T, where: Where = "localStorage"): T {
	try {
		return JSON.parse(globalThis[where].getItem(name) ?? "null") ?? otherwise;
	} catch {
		return otherwise;
	}
}

/** Stores a value and reports whether that succeeded. */
export function keep(name: string, value: unknown, where: Where = "localStorage"): boolean {
	try {
		globalThis[where].setItem(name, JSON.stringify(value));
		return true;
	} catch {
		return false;
	}
}
