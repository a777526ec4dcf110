// This file declares the parts of Node that the tests use.
declare module "node:test" {
	export function test(name: string, f: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
	const assert: { (value: unknown, message?: string): void;
		equal(actual: unknown, expected: unknown, message?: string): void;
		deepEqual(actual: unknown, expected: unknown, message?: string): void;
		rejects(promise: Promise<unknown>, error: RegExp): Promise<void>; throws(f: () => void, error: RegExp): void };
	export default assert;
}
